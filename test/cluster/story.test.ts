import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { startCluster } from './harness/cluster.ts';
import { makeQcow2, serveImages } from './images.ts';
import { plimsoll, startWebhook } from './plimsoll.ts';

const DENIED = 'denied the request: ';

t.setTimeout(600_000);

// At the top, and not in a hook: a hook that fails can leave a file without any test, which passes.
const cluster = await startCluster({ crds: ['cdi'] });
t.teardown(() => cluster.stop());
const images = await serveImages(cluster.folder);
t.teardown(() => images.stop());
// Virtual size 10 GiB, about 1.1 GB as stored: the image of the story.
await makeQcow2(cluster.folder, 'base.qcow2', '10G', 1_100_000_000);
const webhook = await startWebhook(cluster, {
  probe: { addresses: { mode: 'allowlist', allow: [images.host] } },
  memoryFloor: { density: { statistic: 'fixed', pods: 90 } },
});
t.teardown(() => webhook.program.stop());

const dataVolume = (name: string, size: string) => `apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: { name: ${name}, namespace: default }
spec:
  source: { http: { url: "${images.origin}/base.qcow2" } }
  storage: { resources: { requests: { storage: ${size} } } }
`;

const MULTUS = `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: kube-multus-ds
  namespace: kube-system
  labels: { tier: node, app: multus, name: multus }
spec:
  selector: { matchLabels: { name: multus } }
  updateStrategy: { type: RollingUpdate }
  template:
    metadata: { labels: { tier: node, app: multus, name: multus } }
    spec:
      hostNetwork: true
      hostPID: true
      containers:
      - name: kube-multus
        image: ghcr.io/k8snetworkplumbingwg/multus-cni:snapshot-thick
        command: ["/usr/src/multus-cni/bin/multus-daemon"]
        env: [{ name: MULTUS_NODE_NAME, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }]
        resources:
          requests: { cpu: 100m, memory: 50Mi }
          limits: { cpu: 100m, memory: 50Mi }
        securityContext: { privileged: true }
`;

const CDI = `apiVersion: cdi.kubevirt.io/v1beta1
kind: CDI
metadata: { name: cdi }
spec:
  imagePullPolicy: IfNotPresent
  config: { featureGates: [HonorWaitForFirstConsumer] }
`;

/** What kubectl prints of a denial, without the parts that the API server and kubectl put before it. */
const reasonIn = (stderr: string) => stderr.slice(stderr.indexOf(DENIED) + DENIED.length).trim();

t.test('a base DataVolume of a 10 GiB image that holds 1.1 GB', async (t) => {
  const rows: [name: string, size: string, allowed: boolean, rule: RegExp][] = [
    ['far too large', '30Gi', false, /asks for 30Gi.*Accepted: 10Gi to 20Gi\. Ask for 10Gi\./],
    ['shrunk blindly', '5Gi', false, /asks for 5Gi.*too small to contain image.*Ask for 10Gi\./],
    ['as denials advise', '10Gi', true, /^$/],
  ];
  for (const [name, size, allowed, reason] of rows) {
    const volume = `base-${size.toLowerCase()}`;
    for (const flags of [['--dry-run=server'], []]) {
      const title = `${name}: ${size} ${flags.join('')}`;
      const { code, stderr } = await cluster.kubectl.apply(dataVolume(volume, size), ...flags);
      t.equal(code === 0, allowed, title);
      if (allowed) t.equal(stderr, '', `${title}: no warning`);
      else {
        t.match(reasonIn(stderr), reason, `${title}: reason`);
        t.match(reasonIn(stderr), /exemption for rule/, `${title}: printed to its end`);
      }
    }
    const stored = await cluster.kubectl.run(['get', 'datavolume', volume, '-o', 'name']);
    t.equal(stored.code === 0, allowed, `${name}: stored or not`);
  }
});

t.test('the report says of the same manifests what the webhook said, word for word', async (t) => {
  const config = join(cluster.folder, 'report.yaml');
  await writeFile(
    config,
    JSON.stringify({
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'Configuration',
      probe: { addresses: { mode: 'allowlist', allow: [images.host] } },
    }),
  );
  const manifests = [
    dataVolume('base-30gi', '30Gi'),
    dataVolume('base-5gi', '5Gi'),
    dataVolume('other-10gi', '10Gi'),
  ];
  const { code, stdout } = await plimsoll(
    ['report', '-f', '-', '-o', 'json', '--config', config],
    manifests.join('---\n'),
  );
  t.equal(code, 2, 'findings');
  const { results } = JSON.parse(stdout) as { results: { result: string; message: string; line: number }[] };
  t.same(
    results.map(({ result, line }) => [result, line]),
    [
      ['fail', 1],
      ['fail', 8],
      ['pass', 15],
    ],
  );
  for (const [index, manifest] of manifests.slice(0, 2).entries()) {
    const { stderr } = await cluster.kubectl.apply(manifest, '--dry-run=server');
    t.equal(results[index]?.message, reasonIn(stderr));
  }
});

interface Stored {
  metadata: { resourceVersion: string; generation: number; managedFields: { manager: string }[] };
  spec: {
    template: { metadata: object; spec: { containers: { resources: object }[] } };
    config: { podResourceRequirements?: object; featureGates: string[] };
    imagePullPolicy: string;
  };
}

t.test('Multus with 50Mi on nodes of 90 pods is stored with 500Mi, once', async (t) => {
  const daemonSet = async () =>
    (await cluster.kubectl.getJson(
      'daemonset',
      'kube-multus-ds',
      '-n',
      'kube-system',
      '--show-managed-fields',
    )) as Stored;
  const first = await cluster.kubectl.apply(MULTUS);
  t.equal(first.code, 0, first.stderr);
  t.match(first.stderr, /Warning: DaemonSet kube-system\/kube-multus-ds.*50Mi.*raised to 500Mi/);
  const stored = await daemonSet();
  t.same(stored.spec.template.spec.containers[0]?.resources, {
    requests: { cpu: '100m', memory: '500Mi' },
    limits: { cpu: '100m', memory: '500Mi' },
  });
  t.same(stored.spec.template.metadata, { labels: { app: 'multus', name: 'multus', tier: 'node' } });
  for (const flags of [[], ['--server-side', '--force-conflicts'], ['--dry-run=server']]) {
    t.equal((await cluster.kubectl.apply(MULTUS, ...flags)).code, 0);
    const again = await daemonSet();
    t.equal(
      again.metadata.generation,
      stored.metadata.generation,
      `generation after ${flags.join(' ') || 'apply'}`,
    );
    if (flags[0] !== '--server-side')
      t.ok(
        flags.length > 0 || again.metadata.resourceVersion === stored.metadata.resourceVersion,
        'resourceVersion after a second apply',
      );
    t.notOk(again.metadata.managedFields.some(({ manager }) => /plimsoll/i.test(manager)));
  }
});

t.test('a CDI without limits is stored with 2Gi and everything else untouched', async (t) => {
  const cdi = async () => (await cluster.kubectl.getJson('cdi', 'cdi')) as Stored;
  t.equal((await cluster.kubectl.apply(CDI)).code, 0);
  const stored = await cdi();
  t.same(stored.spec, {
    imagePullPolicy: 'IfNotPresent',
    config: {
      featureGates: ['HonorWaitForFirstConsumer'],
      podResourceRequirements: { limits: { memory: '2Gi' } },
    },
  });
  t.equal((await cluster.kubectl.apply(CDI)).code, 0);
  t.equal((await cdi()).metadata.resourceVersion, stored.metadata.resourceVersion, 'second apply');

  const own = CDI.replace('config: {', 'config: { podResourceRequirements: { limits: { memory: 4Gi } },');
  t.equal((await cluster.kubectl.apply(own)).code, 0);
  t.same(
    (await cdi()).spec.config.podResourceRequirements,
    { limits: { memory: '4Gi' } },
    '4Gi is untouched',
  );
});

t.test('every other object passes untouched', async (t) => {
  const other = MULTUS.replaceAll('multus', 'other');
  t.equal((await cluster.kubectl.apply(other)).stderr, '');
  const stored = (await cluster.kubectl.getJson('daemonset', 'kube-other-ds', '-n', 'kube-system')) as Stored;
  t.match(stored.spec.template.spec.containers[0]?.resources, { limits: { memory: '50Mi' } });
  t.match(
    await webhook.metrics(),
    /plimsoll_admission_reviews_total\{webhook="mutate",verdict="mutated"\} \d/,
  );
});
