import { readFile, writeFile } from 'node:fs/promises';
import t from 'tap';
import { connectCluster } from '../../src/kube/client.ts';
import { at, listAt } from '../../src/object/object.ts';
import { cdiOf, multusOf, readStored } from './floor-objects.ts';
import { startCluster } from './harness/cluster.ts';
import { startControllers } from './harness/controllers.ts';
import { until } from './harness/until.ts';
import { startWebhook, type Webhook } from './plimsoll.ts';

t.setTimeout(600_000);

const NAMESPACE = 'plimsoll';
const NODE = 'node-a';
const SETTINGS = { cluster: { enabled: true, namespace: NAMESPACE, pollSeconds: 5 } };

const cluster = await startCluster({ crds: ['cdi'] });
t.teardown(() => cluster.stop());
const { kubectl } = cluster;
const controllers = await startControllers(cluster);
t.teardown(() => controllers.stop());
const connection = await connectCluster({ kind: 'kubeconfig', file: cluster.kubeconfig }, 'plimsoll/test');
t.teardown(() => connection.close());
await kubectl.must(['create', 'namespace', NAMESPACE]);
await kubectl.must(['create', '-f', '-'], `{ apiVersion: v1, kind: Node, metadata: { name: ${NODE} } }`);

// The webhook finds the cluster as any program does.
process.env.KUBECONFIG = cluster.kubeconfig;
let webhook: Webhook = await startWebhook(cluster, SETTINGS);
t.teardown(() => webhook.program.stop());

const PODS = '/api/v1/namespaces/default/pods';
let pods = 0;

/** Makes it so many pods that need CNI on the node. */
async function fillTo(count: number): Promise<void> {
  const create = (index: number) =>
    connection.api.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${index}` },
      spec: { nodeName: NODE, containers: [{ name: 'main', image: 'main.example/main' }] },
    });
  for (; pods < count; pods += 25) {
    const some = Math.min(25, count - pods);
    await Promise.all(Array.from({ length: some }, (_, index) => create(pods + index)));
    if (some < 25) pods += some - 25;
  }
}

const metric = async (name: string, labels = '') =>
  Number(
    (await webhook.metrics())
      .split('\n')
      .find((line) => line.startsWith(`${name}${labels}`))
      ?.split(' ')
      .at(-1) ?? 'NaN',
  );
const planned = (density: number) =>
  until(
    `the planning density is ${density}`,
    async () => (await metric('plimsoll_density_pods')) === density,
  );
const applyBoth = async () => {
  for (const manifest of [multusOf('multus', '50Mi'), cdiOf('cdi', '600M')]) {
    const { code, stderr } = await kubectl.apply(JSON.stringify(manifest));
    if (code !== 0) throw new Error(stderr);
  }
};
const readBoth = () =>
  Promise.all([readStored(cluster, 'DaemonSet', 'multus'), readStored(cluster, 'CDI', 'cdi')]);
/** Once the controller has seen the last change. */
async function revisions(): Promise<number> {
  const daemonSet = ['daemonset', 'multus', '-n', 'kube-system'];
  await until('the controller has seen the DaemonSet', async () => {
    const object = await kubectl.getJson(...daemonSet);
    return at(object, 'status', 'observedGeneration') === at(object, 'metadata', 'generation');
  });
  const owned = listAt(
    await kubectl.getJson('controllerrevisions', '-n', 'kube-system', '-l', 'name=multus'),
    'items',
  );
  const history = await kubectl.must(['rollout', 'history', 'daemonset/multus', '-n', 'kube-system']);
  const lines = history.split('\n').filter((line) => /^\d+\s/.test(line));
  if (lines.length !== owned.length) throw new Error(`${owned.length} revisions, but history is ${history}`);
  return lines.length;
}

const STEPS = [
  { density: 30, planning: 30, multus: '200Mi', cdi: '2Gi', revisions: 1 },
  { density: 45, planning: 50, multus: '300Mi', cdi: '2Gi', revisions: 2 },
  { density: 89, planning: 90, multus: '500Mi', cdi: '2Gi', revisions: 3 },
  { density: 90, planning: 90, multus: '500Mi', cdi: '2Gi', revisions: 3 },
  { density: 91, planning: 100, multus: '550Mi', cdi: '2304Mi', revisions: 4 },
  { density: 110, planning: 110, multus: '600Mi', cdi: '2560Mi', revisions: 5 },
  { density: 250, planning: 250, multus: '1300Mi', cdi: '4Gi', revisions: 6 },
];

t.test('floors follow the density, with one revision of the DaemonSet a step', async (t) => {
  for (const step of STEPS) {
    await fillTo(step.density);
    await planned(step.planning);
    await applyBoth();
    const stored = await readBoth();
    t.same(
      stored.map(({ limit }) => limit),
      [step.multus, step.cdi],
      `floors at ${step.density} pods`,
    );
    t.equal(await revisions(), step.revisions, `revisions at ${step.density} pods`);
    const settled = await readBoth();
    await applyBoth();
    const again = await readBoth();
    for (const [index, { resourceVersion, generation }] of again.entries()) {
      t.equal(generation, settled[index]?.generation, 'generation after the same again');
      // The DaemonSet's controller notes in the status how its rollout goes, so that only CDI's is still.
      if (index === 1)
        t.equal(resourceVersion, settled[index]?.resourceVersion, 'resourceVersion after that');
    }
    t.equal(await revisions(), step.revisions, 'and no revision');
  }
});

t.test('neither a drained cluster nor a restart lowers a floor', async (t) => {
  const names = Array.from({ length: 240 }, (_, index) => `pod-${index}`);
  await kubectl.must(['delete', 'pod', '--force', '--grace-period=0', '--wait=false', ...names]);
  await webhook.program.stop();
  webhook = await startWebhook(cluster, SETTINGS);
  await planned(250);
  const before = await readBoth();
  await applyBoth();
  const after = await readBoth();
  t.same(
    after.map(({ limit }) => limit),
    ['1300Mi', '4Gi'],
  );
  t.same(
    after.map(({ generation }) => generation),
    before.map(({ generation }) => generation),
  );
  t.equal(await revisions(), STEPS.at(-1)?.revisions);
});

t.test('limits that density has outgrown', async (t) => {
  const leads = () => until('it leads', async () => (await metric('plimsoll_leader')) === 1);
  const below = (target: string) => metric('plimsoll_stored_limits_below_floor', `{target="${target}"}`);
  const configure = async (memoryFloor: object) => {
    const configuration = JSON.parse(await readFile(webhook.configFile, 'utf8'));
    await writeFile(webhook.configFile, JSON.stringify({ ...configuration, memoryFloor }));
  };
  const perPod = { multus: { curve: { perPod: '6Mi' } } };
  await leads();
  await until('it has looked', async () => (await below('multus')) === 0);
  t.equal(await below('cdi'), 0);

  // Owned by Helm, so it is left alone.
  const owned = multusOf('owned', '50Mi') as { metadata: object };
  const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
  await kubectl.must(
    ['create', '-f', '-'],
    JSON.stringify({ ...owned, metadata: { ...owned.metadata, labels } }),
  );

  const stored = () => Promise.all(['multus', 'owned'].map((name) => readStored(cluster, 'DaemonSet', name)));
  const before = await stored();
  t.same(
    before.map(({ limit }) => limit),
    ['1300Mi', '1300Mi'],
  );

  await t.test('a metric says so, and by default that is all', async (t) => {
    await configure({ targets: perPod });
    await until('the metric says so', async () => (await below('multus')) === 2);
    t.equal(await below('cdi'), 0);
    t.same(
      (await stored()).map(({ generation }) => generation),
      before.map(({ generation }) => generation),
    );
    t.match(await webhook.program.log(), /"name":"owned".*a stored limit is below its floor/);
  });

  await t.test('where it is asked for, the leader writes again what nobody owns', async (t) => {
    const revision = await revisions();
    await configure({ targets: perPod, reconcile: 'patch' });
    await until('it is written', async () => (await below('multus')) === 1);
    const [raised, left] = await stored();
    t.equal(raised?.limit, '1550Mi');
    t.equal(raised?.generation, Number(before[0]?.generation) + 1);
    t.notOk(raised?.managers.some((manager) => /plimsoll/i.test(manager)));
    t.equal(await revisions(), revision + 1, 'one revision');
    t.equal(left?.limit, '1300Mi', 'what Helm owns is left');
    t.match(await webhook.metrics(), /plimsoll_reconciles_total\{outcome="written"\} 1\n/);
    t.match(await webhook.metrics(), /plimsoll_reconciles_total\{outcome="owned"\} 1\n/);
    t.match(await webhook.program.log(), /"name":"owned","owner":"Helm"/);
  });
});
