// A release with self-managed certificates, from install to uninstall. Where a pod would run, a process does, with a token of
// the chart's ServiceAccount: what the chart does not grant, it cannot do.
import t from 'tap';
import { at, textAt } from '../../src/object/object.ts';
import { CHART, type Helm, helmIn } from './chart/helm.ts';
import { everything } from './chart/inventory.ts';
import { dataVolume, leadServiceHere, NAMESPACE, release, storedWebhook } from './chart/release.ts';
import { accountKubeconfig, type Served, serve } from './chart/serving.ts';
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
cluster = await startCluster({ crds: ['cdi'] });
helm = await helmIn(cluster.folder, cluster.kubeconfig);
images = await serveImages(cluster.folder);
await makeQcow2(cluster.folder, 'base.qcow2', '10G', 1_100_000_000);
await cluster.kubectl.must(['create', 'namespace', NAMESPACE]);

t.teardown(async () => {
  await served?.program.stop();
  images?.stop();
  await cluster?.stop();
});

t.test('with self-managed certificates, from install to uninstall', async (t) => {
  const { kubectl } = cluster;
  const account = `system:serviceaccount:${NAMESPACE}:plimsoll`;
  const before = await everything(cluster);
  const [port] = (await freePorts(1)) as [number];
  const values = [
    '--set',
    `service.port=${port},config.probe.addresses.mode=allowlist`,
    '--set-json',
    `config.probe.addresses.allow=${JSON.stringify([images.host])}`,
  ];
  await release(helm, 'install', CHART, ...values);

  await t.test('the ServiceAccount may do what Plimsoll does, and no more', async (t) => {
    const own = ['-n', NAMESPACE];
    const rows: [allowed: boolean, ...question: string[]][] = [
      [true, 'list', 'pods', '-A'],
      [true, 'list', 'nodes'],
      [true, 'list', 'storageclasses.storage.k8s.io'],
      [true, 'get', 'cdiconfigs.cdi.kubevirt.io/config'],
      [true, 'list', 'storageprofiles.cdi.kubevirt.io'],
      [true, 'patch', 'validatingwebhookconfigurations/plimsoll'],
      [true, 'patch', 'mutatingwebhookconfigurations/plimsoll'],
      [true, 'update', 'leases.coordination.k8s.io/plimsoll-leader', ...own],
      [true, 'update', 'configmaps/plimsoll-density', ...own],
      [true, 'update', 'secrets/plimsoll-tls', ...own],
      [true, 'get', 'configmaps/multus-daemon-config', '-n', 'kube-system'],
      [false, 'create', 'validatingwebhookconfigurations'],
      [false, 'patch', 'validatingwebhookconfigurations/other'],
      [false, 'list', 'validatingwebhookconfigurations'],
      [false, 'get', 'secrets/other', ...own],
      [false, 'list', 'secrets', ...own],
      [false, 'create', 'secrets', ...own],
      [false, 'get', 'secrets/plimsoll-tls', '-n', 'default'],
      [false, 'get', 'configmaps/other', ...own],
      [false, 'get', 'configmaps/other', '-n', 'kube-system'],
      [false, 'list', 'datavolumes.cdi.kubevirt.io', '-A'],
      [false, 'patch', 'daemonsets.apps', '-n', 'kube-system'],
    ];
    for (const [allowed, ...question] of rows) {
      const { stdout } = await kubectl.run(['auth', 'can-i', ...question, `--as=${account}`]);
      t.equal(stdout.trim(), allowed ? 'yes' : 'no', question.join(' '));
    }
  });

  const volume = dataVolume('base', `${images.origin}/base.qcow2`, '30Gi');
  const isJudged = async () => {
    const { stderr } = await kubectl.apply(volume, '--dry-run=server');
    return stderr.includes('Ask for 10Gi.');
  };
  const bundles = async () => [
    textAt(await storedWebhook(cluster, 'validating', 'volumes.plimsoll.dev'), 'clientConfig', 'caBundle'),
    textAt(await storedWebhook(cluster, 'mutating', 'floors.plimsoll.dev'), 'clientConfig', 'caBundle'),
  ];
  const secret = async () =>
    at(await kubectl.getJson('secret', 'plimsoll-tls', '-n', NAMESPACE), 'data') ?? {};

  await t.test('Plimsoll, as that account, gets itself trusted by the API server', async (t) => {
    t.same(await bundles(), [undefined, undefined], 'no caBundle to begin with');
    await leadServiceHere(cluster);
    served = await serve(cluster, port, {
      settings: {},
      kubeconfig: await accountKubeconfig(cluster),
    });
    await until('a volume is judged', isJudged);
    t.match(await served.readiness(), /^ready/);
    t.ok((await bundles()).every((bundle) => bundle !== undefined));
  });

  await t.test('upgrades leave alone what it wrote, whichever way helm writes', async (t) => {
    const before = { bundles: await bundles(), secret: await secret() };
    for (const [how, timeoutSeconds] of [
      ['--server-side=true', 7],
      ['--server-side=false', 6],
    ] as const) {
      const change = ['--set', `webhooks.validating.timeoutSeconds=${timeoutSeconds}`];
      await release(helm, 'upgrade', CHART, ...values, how, ...change);
      const webhook = await storedWebhook(cluster, 'validating', 'volumes.plimsoll.dev');
      t.equal(at(webhook, 'timeoutSeconds'), timeoutSeconds, `${how}: it has upgraded`);
      t.same({ bundles: await bundles(), secret: await secret() }, before, how);
      t.ok(await isJudged(), `${how}: still judged`);
    }
  });

  await t.test('a Secret that was deleted by hand comes back with an upgrade, and is filled', async (t) => {
    await kubectl.must(['delete', 'secret', 'plimsoll-tls', '-n', NAMESPACE]);
    await release(helm, 'upgrade', CHART, ...values);
    await until('it is filled', async () => Object.keys((await secret()) as object).length > 0);
    await until('a volume is judged', isJudged);
    t.match(await served?.readiness(), /^ready/);
  });

  await t.test('uninstall leaves nothing, and a Plimsoll that still runs cannot bring it back', async (t) => {
    await release(helm, 'uninstall');
    t.same(await everything(cluster), before);
    const log = async () => (await served?.program.log()) ?? '';
    const { length } = await log();
    await until('it has tried', async () =>
      (await log()).slice(length).includes('certificates could not be looked after'),
    );
    t.same(await everything(cluster), before, 'after it has tried');
  });
});
