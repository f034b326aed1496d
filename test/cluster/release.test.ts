// A release from install to uninstall, by helm, on a real API server. Where a pod would run, a process does: the chart's
// Service is made an ExternalName of localhost, so that its webhook configurations are used as they were rendered.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { at, listAt, textAt } from '../../src/object/object.ts';
import { CHART, type Helm, helmIn } from './chart/helm.ts';
import { everything } from './chart/inventory.ts';
import { dataVolume, leadServiceHere, NAMESPACE, release, storedWebhook } from './chart/release.ts';
import { certificate, type Served, serve } from './chart/serving.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { freePorts } from './harness/ports.ts';
import { until } from './harness/until.ts';
import { type ImageServer, makeQcow2, serveImages } from './images.ts';

let cluster: Cluster;
let helm: Helm;
let images: ImageServer;
let served: Served | null = null;

// A loaded machine takes its time.
t.setTimeout(300_000);

// At the top, and not in a hook: a hook that fails can leave a file without any test, which passes.
cluster = await startCluster({ crds: ['cdi', 'virtual-machine'] });
helm = await helmIn(cluster.folder, cluster.kubeconfig);
images = await serveImages(cluster.folder);
await makeQcow2(cluster.folder, 'base.qcow2', '10G', 1_100_000_000);
await cluster.kubectl.must(['create', 'namespace', NAMESPACE]);

t.teardown(async () => {
  await served?.program.stop();
  images?.stop();
  await cluster?.stop();
});

const volume = (name: string, size: string) => dataVolume(name, `${images.origin}/base.qcow2`, size);

const daemonSet = (name: string, container: object) =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: { name } },
      template: {
        metadata: { labels: { name } },
        spec: {
          containers: [
            {
              name: 'c',
              image: 'registry.example/daemon:1',
              resources: { limits: { memory: '50Mi' }, requests: { memory: '50Mi' } },
              ...container,
            },
          ],
        },
      },
    },
  });

t.test('with a certificate of the user’s, from install to uninstall', async (t) => {
  const { kubectl } = cluster;
  const { certFile, keyFile, caFile } = await certificate(cluster);
  await kubectl.must([
    'create',
    'secret',
    'tls',
    'our-own',
    '-n',
    NAMESPACE,
    `--cert=${certFile}`,
    `--key=${keyFile}`,
  ]);
  const before = await everything(cluster);
  const [port] = (await freePorts(1)) as [number];
  const valuesFile = join(cluster.folder, 'values.yaml');
  await writeFile(
    valuesFile,
    JSON.stringify({
      service: { port },
      certificates: { mode: 'provided', provided: { secretName: 'our-own' } },
      config: {
        probe: { addresses: { mode: 'allowlist', allow: [images.host] } },
        memoryFloor: { density: { statistic: 'fixed', pods: 90 } },
      },
    }),
  );
  const values = ['-f', valuesFile, '--set-file', `certificates.provided.caBundle=${caFile}`];

  await t.test('install: the webhooks do what they are for', async (t) => {
    await release(helm, 'install', CHART, ...values);
    await leadServiceHere(cluster);
    served = await serve(cluster, port, {
      settings: { tls: { certFile, keyFile }, cluster: { enabled: false } },
      kubeconfig: null,
    });
    // The API server needs a moment to notice new webhooks.
    await until('a volume is refused', async () => {
      const { code, stderr } = await kubectl.apply(volume('base-30gi', '30Gi'), '--dry-run=server');
      return code !== 0 && stderr.includes('Ask for 10Gi.');
    });
    t.equal((await kubectl.apply(volume('base-10gi', '10Gi'))).stderr, '', '10Gi is let in');
  });

  await t.test('of all DaemonSets only those that hold a daemon are sent', async (t) => {
    const daemon = '/usr/src/multus-cni/bin/multus-daemon';
    const rows: [name: string, container: object, memory: string][] = [
      ['by-command', { command: [daemon] }, '500Mi'],
      ['by-arguments', { command: ['/bin/sh', '-c'], args: [`exec ${daemon} --verbose`] }, '500Mi'],
      ['by-tag', { image: 'ghcr.io/k8snetworkplumbingwg/multus-cni:v4.2.2-thick' }, '500Mi'],
      ['by-repository', { image: 'docker.io/rancher/hardened-multus-thick:v4.2.1' }, '500Mi'],
      ['thin', { image: 'ghcr.io/k8snetworkplumbingwg/multus-cni:v4.2.2' }, '50Mi'],
      ['other', { command: ['/other-daemon'] }, '50Mi'],
    ];
    for (const [name, container, memory] of rows) {
      const sent = await served!.reviews('mutate');
      const { code, stderr } = await kubectl.apply(daemonSet(name, container));
      t.equal(code, 0, `${name}: ${stderr}`);
      const object = await kubectl.getJson('daemonset', name, '-n', 'kube-system');
      const [kept] = listAt(object, 'spec', 'template', 'spec', 'containers');
      t.equal(at(kept, 'resources', 'limits', 'memory'), memory, name);
      t.equal((await served!.reviews('mutate')) > sent, memory !== '50Mi', `${name}: sent or not`);
      await kubectl.must(['delete', 'daemonset', name, '-n', 'kube-system']);
    }
  });

  await t.test('VirtualMachines are sent only with templates of volumes', async (t) => {
    const machine = (name: string, templates: object) =>
      JSON.stringify({
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachine',
        metadata: { name, namespace: 'default' },
        spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } }, ...templates },
      });
    const template = {
      metadata: { name: 'root' },
      spec: {
        source: { http: { url: `${images.origin}/base.qcow2` } },
        storage: { resources: { requests: { storage: '5Gi' } } },
      },
    };
    const sent = await served!.reviews('validate');
    t.equal((await kubectl.apply(machine('plain', {}), '--dry-run=server')).code, 0, 'without');
    t.equal(await served!.reviews('validate'), sent, 'without: not sent');
    const { code, stderr } = await kubectl.apply(
      machine('templated', { dataVolumeTemplates: [template] }),
      '--dry-run=server',
    );
    t.not(code, 0, 'too small');
    t.match(stderr, /too small to contain image/);
  });

  await t.test('upgrade to another version, with failurePolicy Fail', async (t) => {
    const next = join(cluster.folder, 'next-chart');
    await cp(CHART, next, { recursive: true });
    const text = await readFile(join(next, 'Chart.yaml'), 'utf8');
    await writeFile(join(next, 'Chart.yaml'), text.replace(/^(appVersion|version): .*/gm, '$1: 9.9.9'));
    await release(helm, 'upgrade', next, ...values, '--set', 'webhooks.validating.failurePolicy=Fail');
    const deployment = await kubectl.getJson('deployment', 'plimsoll', '-n', NAMESPACE);
    const [container] = listAt(deployment, 'spec', 'template', 'spec', 'containers');
    t.equal(at(container, 'image'), 'plimsoll:9.9.9');
    t.equal(at(await storedWebhook(cluster, 'validating', 'volumes.plimsoll.dev'), 'failurePolicy'), 'Fail');
    const { stderr } = await kubectl.apply(volume('base-30gi', '30Gi'), '--dry-run=server');
    t.match(stderr, /Ask for 10Gi\./, 'it still judges');

    await served!.program.stop();
    await until('volumes are refused while the webhook is down', async () => {
      const refused = await kubectl.apply(volume('base-11gi', '11Gi'), '--dry-run=server');
      return /failed calling webhook "volumes\.plimsoll\.dev"/.test(refused.stderr);
    });
    const multus = await kubectl.apply(
      daemonSet('multus', { command: ['multus-daemon'] }),
      '--dry-run=server',
    );
    t.equal(multus.code, 0, `Multus is written all the same: ${multus.stderr}`);
    const own = daemonSet('own', { command: ['multus-daemon'] }).replace('kube-system', NAMESPACE);
    t.equal((await kubectl.apply(own, '--dry-run=server')).code, 0, 'so is our own namespace');
  });

  await t.test('rollback: what is let through while the webhook is down', async (t) => {
    await release(helm, 'rollback', '1');
    t.equal(
      at(await storedWebhook(cluster, 'validating', 'volumes.plimsoll.dev'), 'failurePolicy'),
      'Ignore',
    );
    await until('a volume is let through', async () => {
      return (await kubectl.apply(volume('base-12gi', '12Gi'), '--dry-run=server')).code === 0;
    });
    const deployment = await kubectl.getJson('deployment', 'plimsoll', '-n', NAMESPACE);
    t.not(textAt(deployment, 'metadata', 'labels', 'app.kubernetes.io/version'), '9.9.9');
  });

  await t.test('uninstall leaves nothing, and what the user brought', async (t) => {
    await release(helm, 'uninstall');
    await kubectl.must(['delete', 'datavolume', '--all', '-n', 'default']);
    t.same(await everything(cluster), before);
  });
});
