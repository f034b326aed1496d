import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { planningDensity } from '../../src/density/planning.ts';
import { connectCluster } from '../../src/kube/client.ts';
import { systemClock } from '../../src/kube/clock.ts';
import { countPods, readAllocatable } from '../../src/kube/density.ts';
import { startKnowledge } from '../../src/kube/knowledge.ts';
import { LEASE_NAME, Lease } from '../../src/kube/lease.ts';
import { MARKS_NAME, RESET_ANNOTATION } from '../../src/kube/marks.ts';
import { MarksKeeper } from '../../src/kube/marks-keeper.ts';
import { readObjects } from '../../src/kube/paging.ts';
import { readStorage } from '../../src/kube/storage.ts';
import { at } from '../../src/object/object.ts';
import { findManifest } from './harness/binaries.ts';
import { startCluster } from './harness/cluster.ts';
import { until } from './harness/until.ts';

t.setTimeout(300_000);

const NAMESPACE = 'plimsoll';

/** All that client.ts says it needs, and nothing else. */
const RIGHTS = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: plimsoll }
rules:
  - { apiGroups: [""], resources: [pods, nodes], verbs: [list] }
  - { apiGroups: [storage.k8s.io], resources: [storageclasses], verbs: [list] }
  - { apiGroups: [cdi.kubevirt.io], resources: [cdis, storageprofiles], verbs: [list] }
  - { apiGroups: [cdi.kubevirt.io], resources: [cdiconfigs], verbs: [get] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: plimsoll }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: plimsoll }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: plimsoll }]
---
apiVersion: v1
kind: Namespace
metadata: { name: ${NAMESPACE} }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: plimsoll, namespace: ${NAMESPACE} }
rules:
  - { apiGroups: [""], resources: [configmaps], verbs: [create] }
  - { apiGroups: [""], resources: [configmaps], resourceNames: [${MARKS_NAME}], verbs: [get, update] }
  - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create] }
  - { apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [${LEASE_NAME}], verbs: [get, update] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: plimsoll, namespace: ${NAMESPACE} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: plimsoll }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: plimsoll }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: plimsoll, namespace: kube-system }
rules:
  - { apiGroups: [""], resources: [configmaps], resourceNames: [multus-daemon-config], verbs: [get] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: plimsoll, namespace: kube-system }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: plimsoll }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: plimsoll }]
`;

const AUDIT_POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - { level: Metadata, users: [plimsoll] }
  - { level: None }
`;

const cluster = await startCluster({ auditPolicy: AUDIT_POLICY });
t.teardown(() => cluster.stop());
const { kubectl } = cluster;
await kubectl.must(['create', '-f', '-'], RIGHTS);

const connect = async (file: string) => {
  const connection = await connectCluster({ kind: 'kubeconfig', file }, 'plimsoll/test');
  t.teardown(() => connection.close());
  return connection.api;
};
const admin = await connect(cluster.kubeconfig);
const api = await connect(await cluster.userKubeconfig('plimsoll', []));

const pass = (ms = 60_000) => ({
  clock: systemClock,
  deadline: Date.now() + ms,
  signal: new AbortController().signal,
});
const mayListPods = async () => {
  try {
    await api.list('/api/v1/pods', { limit: 1 });
    return true;
  } catch {
    return false;
  }
};
await until('the rights are in force', mayListPods);

const PODS = '/api/v1/namespaces/default/pods';
let names = 0;

async function addPods(node: string | undefined, count: number, spec: object = {}): Promise<string[]> {
  const added = Array.from({ length: count }, () => `pod-${names++}`);
  const create = (name: string) =>
    admin.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { nodeName: node, containers: [{ name: 'main', image: 'main.example/main' }], ...spec },
    });
  for (let from = 0; from < count; from += 25) await Promise.all(added.slice(from, from + 25).map(create));
  return added;
}
const finish = (name: string, phase: string) =>
  kubectl.must(['patch', 'pod', name, '--subresource=status', '-p', JSON.stringify({ status: { phase } })]);
const removePods = (...which: readonly string[]) =>
  kubectl.must(['delete', 'pod', '--force', '--grace-period=0', '--wait=false', ...which]);

for (const [name, pods] of [
  ['node-a', '110'],
  ['node-b', '250'],
] as const) {
  await kubectl.must(['create', '-f', '-'], `{ apiVersion: v1, kind: Node, metadata: { name: ${name} } }`);
  const status = JSON.stringify({ status: { allocatable: { pods } } });
  await kubectl.must(['patch', 'node', name, '--subresource=status', '-p', status]);
}

t.test('pods that need no CNI are not counted', async (t) => {
  await addPods('node-a', 4);
  await addPods('node-b', 2);
  await addPods('node-a', 3, { hostNetwork: true });
  await addPods(undefined, 2);
  const [done, failed] = await addPods('node-a', 2);
  await finish(done!, 'Succeeded');
  await finish(failed!, 'Failed');
  const { pods, withoutHostNetwork } = await countPods(api, pass());
  t.same(Object.fromEntries(pods), { 'node-a': 4, 'node-b': 2 });
  t.equal(withoutHostNetwork, true, 'the API server selects by spec.hostNetwork');
});

t.test('a list in many pages is the same list', async (t) => {
  const request = { path: '/api/v1/pods', limit: 2 };
  const objects = await readObjects(api, request, { apiVersion: 'v1', kind: 'Pod' }, pass());
  t.equal(objects.length, 13);
  t.equal(new Set(objects.map((object) => at(object, 'metadata', 'name'))).size, 13);
});

t.test('what nodes offer', async (t) => {
  t.same(Object.fromEntries(await readAllocatable(api, pass())), { 'node-a': 110, 'node-b': 250 });
});

/** A process that counts; another `identity` is another process. */
function replica(identity: string) {
  const lease = new Lease({ api, namespace: NAMESPACE, identity, clock: systemClock, durationMs: 60_000 });
  const keeper = new MarksKeeper(api, NAMESPACE, lease);
  return {
    lease,
    refresh: async () => {
      await keeper.refresh('highWaterMark', pass());
      const marks = keeper.marks('highWaterMark') ?? new Map();
      return planningDensity({ statistic: 'highWaterMark', marks, minimum: 30 }).pods;
    },
  };
}
const versionOfMarks = async () =>
  at(await kubectl.getJson('configmap', '-n', NAMESPACE, MARKS_NAME), 'metadata', 'resourceVersion');

t.test('the planning density follows the densest node, and never falls', async (t) => {
  await removePods('--all');
  const [a, b] = [replica('a'), replica('b')];
  let pods = 0;
  for (const [density, planned] of [
    [30, 30],
    [45, 50],
    [89, 90],
    [90, 90],
    [91, 100],
    [110, 110],
    [250, 250],
  ] as const) {
    await addPods('node-b', density - pods);
    pods = density;
    t.equal(await a.refresh(), planned, `${density} pods`);
    t.equal(await b.refresh(), planned, `${density} pods, read by another`);
  }
  t.same([a.lease.isHeld(), b.lease.isHeld()], [true, false]);

  await removePods('--all');
  await addPods('node-b', 10);
  const version = await versionOfMarks();
  t.equal(await a.refresh(), 250, 'a drained cluster');
  await a.lease.release(pass());
  const c = replica('c');
  t.equal(await c.refresh(), 250, 'a restart at 10 pods');
  t.equal(c.lease.isHeld(), true, 'which leads at once');
  t.equal(await versionOfMarks(), version, 'and nothing was written');

  await t.test('until someone resets it', async (t) => {
    await kubectl.must(['annotate', 'configmap', '-n', NAMESPACE, MARKS_NAME, `${RESET_ANNOTATION}=true`]);
    t.equal(await b.refresh(), 250, 'who does not lead waits');
    t.equal(await c.refresh(), 30);
    t.equal(await b.refresh(), 30);
    const stored = await kubectl.getJson('configmap', '-n', NAMESPACE, MARKS_NAME);
    t.equal(at(stored, 'metadata', 'annotations', RESET_ANNOTATION), undefined);
    t.equal(at(stored, 'data', 'highWaterMark.json'), '{"node-b":10}');
    await addPods('node-a', 35);
    t.equal(await c.refresh(), 40);
    t.equal(await b.refresh(), 40);
    await kubectl.must(['delete', 'configmap', '-n', NAMESPACE, MARKS_NAME]);
    await removePods('--all');
    t.equal(await b.refresh(), 40, 'who does not lead keeps what was known');
    t.equal(await c.refresh(), 30);
    t.equal(await b.refresh(), 30);
  });
  await c.lease.release(pass());
});

t.test('who comes late is told that someone else wrote', async (t) => {
  const path = `/api/v1/namespaces/${NAMESPACE}/configmaps/${MARKS_NAME}`;
  const stored = await api.get(path);
  await api.update(path, { ...stored, data: { note: '1' } });
  await t.rejects(api.update(path, { ...stored, data: { note: '2' } }), {
    code: 'conflict',
    reason: 'Conflict',
  });
  await kubectl.must(['delete', 'configmap', '-n', NAMESPACE, MARKS_NAME]);
});

t.test('server-side apply owns what it says', async (t) => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { a: '1' } };
  const path = '/api/v1/namespaces/default/configmaps/applied';
  await admin.apply(path, object, 'plimsoll');
  const applied = await admin.apply(path, { ...object, data: { b: '2' } }, 'plimsoll');
  t.same(at(applied, 'data'), { b: '2' });
  t.match(at(applied, 'metadata', 'managedFields'), [{ manager: 'plimsoll', operation: 'Apply' }]);
});

t.test('storage, before and after CDI is there', async (t) => {
  const storageClass = `
    apiVersion: storage.k8s.io/v1
    kind: StorageClass
    metadata: { name: fast, annotations: { storageclass.kubernetes.io/is-default-class: "true" } }
    provisioner: fast.example`;
  await kubectl.must(['create', '-f', '-'], storageClass);
  const before = await readStorage(api, pass());
  t.match(before, {
    forbidden: [],
    facts: { origin: 'cluster', classes: [{ name: 'fast', isDefault: true }], profiles: null },
  });

  await kubectl.must(['create', '-f', await findManifest('crds.yaml')]);
  await kubectl.must(['wait', '--for=condition=Established', '--timeout=60s', '--all', 'crd']);
  t.same((await readStorage(api, pass())).facts.profiles, []);
  const status = {
    cloneStrategy: 'copy',
    claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Block' }],
  };
  const filesystemOverhead = { global: '0.06', storageClass: { fast: '0.1' } };
  for (const object of [
    { kind: 'StorageProfile', metadata: { name: 'fast' }, spec: {}, status },
    { kind: 'CDIConfig', metadata: { name: 'config' }, spec: {}, status: { filesystemOverhead } },
    { kind: 'CDI', metadata: { name: 'cdi' }, spec: { cloneStrategyOverride: 'snapshot' } },
  ]) {
    const manifest = JSON.stringify({ apiVersion: 'cdi.kubevirt.io/v1beta1', ...object });
    await kubectl.must(['create', '-f', '-'], manifest);
    if (!('status' in object)) continue;
    // Where status is a part of its own, it was left out above.
    const patch = JSON.stringify({ status: object.status });
    const kind = object.kind.toLowerCase();
    await kubectl.run([
      'patch',
      kind,
      object.metadata.name,
      '--subresource=status',
      '--type=merge',
      '-p',
      patch,
    ]);
  }
  t.match(await readStorage(api, pass()), {
    forbidden: [],
    facts: {
      overhead: { global: '0.06', byClass: { fast: '0.1' } },
      profiles: [{ name: 'fast', cloneStrategy: 'copy', claimPropertySets: [{ volumeMode: 'Block' }] }],
      cloneStrategyOverride: 'snapshot',
    },
  });
});

t.test('all of it at once, by the clock', async (t) => {
  await addPods('node-a', 42);
  await kubectl.must(
    ['create', '-f', '-'],
    `
    apiVersion: v1
    kind: ConfigMap
    metadata: { name: multus-daemon-config, namespace: kube-system }
    data: { daemon-config.json: '{"connectionLimit": 5}' }`,
  );
  const errors: Error[] = [];
  const knowledge = startKnowledge({
    api,
    namespace: NAMESPACE,
    identity: 'knowledge',
    planning: () => ({ statistic: 'highWaterMark', fixed: null, minimum: 30 }),
    multusNamespaces: ['kube-system'],
    intervalMs: 10_000,
    jitter: Math.random,
    clock: systemClock,
    observe: ({ error }) => error !== null && errors.push(error),
  });
  t.teardown(() => knowledge.stop());
  await until('it is ready', () => knowledge.ready().length === 0);
  await until('connectionLimit is known', () => knowledge.current().connectionLimit !== null);
  t.match(knowledge.current(), {
    storage: { origin: 'cluster' },
    density: { pods: 50, origin: 'highWaterMark' },
    connectionLimit: 5,
    forbidden: [],
    isLeader: true,
  });
  await knowledge.stop();
  t.same(errors, []);
  const lease = await kubectl.getJson('lease', '-n', NAMESPACE, LEASE_NAME);
  t.equal(at(lease, 'spec', 'holderIdentity'), undefined, 'the Lease was given up');
});

t.test('the rights that client.ts names were enough', async (t) => {
  // The audit log is written a little later than the answer.
  await setTimeout(500);
  const events = await cluster.apiServer.auditEvents();
  const refused = events.filter((event) => at(event, 'responseStatus', 'code') === 403);
  // Until the rights are in force, the first call of this suite is refused.
  const others = refused.filter((event) => at(event, 'requestURI') !== '/api/v1/pods?limit=1');
  t.same(
    others.map((event) => [at(event, 'verb'), at(event, 'requestURI')]),
    [],
  );
  t.ok(events.length > 50, 'they were audited');
  const ann = await connect(await cluster.userKubeconfig('ann', []));
  await t.rejects(countPods(ann, pass()), { code: 'forbidden' });
  const { facts, forbidden } = await readStorage(ann, pass());
  t.same(forbidden, ['StorageClass', 'StorageProfile', 'CDI', 'CDIConfig']);
  t.match(facts, { classes: null, profiles: null });
});
