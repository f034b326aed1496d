import t from 'tap';
import { KubeError } from '../../../src/kube/failures.ts';
import {
  type KnowledgeOptions,
  type KnowledgePart,
  type PlanningSettings,
  startKnowledge,
} from '../../../src/kube/knowledge.ts';
import { LEASE_NAME } from '../../../src/kube/lease.ts';
import { at } from '../../../src/object/object.ts';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';
import { page, podTable, type Reply, type Seen, status } from './fake-api.ts';
import { fakeCluster } from './fake-cluster.ts';
import { ManualClock } from './manual-clock.ts';

const MINUTE = 60_000;
const LEASE = `/apis/coordination.k8s.io/v1/namespaces/ours/leases/${LEASE_NAME}`;
const HIGH_WATER: PlanningSettings = { statistic: 'highWaterMark', fixed: null, minimum: 30 };

interface Test {
  teardown(end: () => unknown): void;
}

/** A whole cluster of pods, nodes, classes and a daemon's configuration. */
async function clusterWith(t: Test) {
  const cluster = await fakeCluster(t);
  const world = {
    cluster,
    clock: new ManualClock(),
    planning: HIGH_WATER,
    pods: 90,
    /** Asked before the answers below. */
    fault: (_: Seen): Reply | undefined => undefined,
  };
  cluster.before = (request) => {
    const fault = world.fault(request);
    if (fault !== undefined) return fault;
    switch (request.path) {
      case '/api/v1/pods':
        return podTable(Array(world.pods).fill('n'));
      case '/api/v1/nodes':
        return page([{ metadata: { name: 'n' }, status: { allocatable: { pods: '250' } } }]);
      case '/apis/storage.k8s.io/v1/storageclasses':
        return page([{ metadata: { name: 'fast' } }]);
      case '/api/v1/namespaces/kube-system/configmaps/multus-daemon-config':
        return { json: { data: { 'daemon-config.json': '{"connectionLimit":5}' } } };
      default:
        return undefined;
    }
  };
  return world;
}

/** Begins to know that world; `next` waits until each part has been read so many times more. */
function know(t: Test, world: Awaited<ReturnType<typeof clusterWith>>, identity = 'a') {
  const counts: Record<KnowledgePart, number> = { storage: 0, density: 0, connectionLimit: 0 };
  const errors: (readonly [KnowledgePart, string | null])[] = [];
  let wake = () => {};
  const options: KnowledgeOptions = {
    api: world.cluster.api,
    namespace: 'ours',
    identity,
    planning: () => world.planning,
    multusNamespaces: ['kube-system'],
    intervalMs: MINUTE,
    jitter: () => 0.5,
    clock: world.clock,
    observe: ({ what, error }) => {
      counts[what] += 1;
      if (error !== null) errors.push([what, error instanceof KubeError ? error.code : null]);
      wake();
    },
  };
  const knowledge = startKnowledge(options);
  t.teardown(() => knowledge.stop());
  const seen: Record<KnowledgePart, number> = { ...counts };
  return {
    knowledge,
    errors,
    next: async (parts: readonly KnowledgePart[] = ['storage', 'density', 'connectionLimit']) => {
      for (const part of parts) {
        seen[part] += 1;
        while (counts[part] < seen[part])
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
      // The loops go to sleep after they were observed.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

t.test('before anything was read', async (t) => {
  const world = await clusterWith(t);
  world.fault = () => 'hang';
  const { knowledge } = know(t, world);
  t.match(knowledge.current(), {
    storage: DEFAULT_STORAGE,
    density: { pods: 30, origin: 'minimum' },
    connectionLimit: null,
    ageMs: { storage: null, density: null, connectionLimit: null },
    marks: null,
    isLeader: false,
  });
  t.same(knowledge.ready(), [
    'the storage of the cluster: not read yet',
    'the pods of the nodes: not read yet',
  ]);
});

t.test('after the first reading', async (t) => {
  const world = await clusterWith(t);
  const { knowledge, next, errors } = know(t, world);
  await next();
  const current = knowledge.current();
  t.match(current, {
    storage: { origin: 'cluster', classes: [{ name: 'fast' }], profiles: null },
    density: { pods: 90, origin: 'highWaterMark' },
    connectionLimit: 5,
    ageMs: { storage: 0, density: 0, connectionLimit: 0 },
    forbidden: [],
    withoutHostNetwork: true,
    isLeader: true,
  });
  t.same([...(current.marks ?? [])], [['n', 90]]);
  t.same(knowledge.ready(), []);
  t.same(errors, []);
});

t.test('it is read again after each interval, and a snapshot that was taken does not change', async (t) => {
  const world = await clusterWith(t);
  const { knowledge, next } = know(t, world);
  await next();
  const before = knowledge.current();
  world.pods = 91;
  world.clock.advance(MINUTE - 1);
  t.equal(knowledge.current().ageMs.density, MINUTE - 1);
  world.clock.advance(1);
  await next();
  t.equal(knowledge.current().density.pods, 100);
  t.equal(knowledge.current().ageMs.density, 0);
  t.equal(before.density.pods, 90);
});

t.test('an API server that is gone: what was read stays, and grows old', async (t) => {
  const world = await clusterWith(t);
  const { knowledge, next, errors } = know(t, world);
  await next();
  world.fault = () => status(500, 'InternalError');
  world.clock.advance(MINUTE);
  await next();
  t.match(knowledge.current(), {
    storage: { origin: 'cluster' },
    density: { pods: 90 },
    connectionLimit: 5,
    ageMs: { storage: MINUTE, density: MINUTE, connectionLimit: MINUTE },
  });
  t.same(knowledge.ready(), [], 'old is not missing');
  t.same(errors.map(([, code]) => code).sort(), ['server-error', 'server-error', 'server-error']);
  world.fault = () => undefined;
  world.clock.advance(MINUTE);
  await next();
  t.equal(knowledge.current().ageMs.storage, 0);
});

t.test('what is missing is said in words, without what the server said', async (t) => {
  const world = await clusterWith(t);
  world.fault = ({ path }) => (path.startsWith('/api/v1/') ? status(403, 'Forbidden') : undefined);
  const { knowledge, next } = know(t, world);
  await next();
  t.same(knowledge.ready(), [
    'the pods of the nodes: GET /api/v1/namespaces/ours/configmaps/plimsoll-density: ' +
      'the API server does not permit it (403 Forbidden)',
  ]);
  t.equal(knowledge.current().connectionLimit, null);
});

t.test('until it has been read it is tried again soon', async (t) => {
  const world = await clusterWith(t);
  world.fault = () => status(500, 'InternalError');
  const { knowledge, next } = know(t, world);
  await next();
  world.fault = () => undefined;
  world.clock.advance(1000);
  await next();
  t.same(knowledge.ready(), []);
});

t.test('a fixed density needs no pods, but someone leads', async (t) => {
  const world = await clusterWith(t);
  world.planning = { statistic: 'fixed', fixed: 77, minimum: 30 };
  const { knowledge, next } = know(t, world);
  await next();
  t.match(knowledge.current(), { density: { pods: 77, origin: 'fixed' }, marks: null, isLeader: true });
  t.notOk(
    world.cluster.seen.some(({ path }) => path === '/api/v1/pods' || path.includes('plimsoll-density')),
  );
});

t.test('what nodes offer, at twice the interval', async (t) => {
  const world = await clusterWith(t);
  world.planning = { statistic: 'allocatable', fixed: null, minimum: 30 };
  const { knowledge, next } = know(t, world);
  await next();
  t.match(knowledge.current().density, { pods: 250, origin: 'allocatable' });
  world.clock.advance(MINUTE);
  await next(['storage']);
  t.equal(knowledge.current().ageMs.density, MINUTE);
  world.clock.advance(MINUTE);
  await next(['density']);
  t.equal(knowledge.current().ageMs.density, 0);
});

t.test('a changed configuration counts at once', async (t) => {
  const world = await clusterWith(t);
  const { knowledge, next } = know(t, world);
  await next();
  world.planning = { ...HIGH_WATER, minimum: 120 };
  t.match(knowledge.current().density, { pods: 120, origin: 'minimum' });
  world.planning = { statistic: 'fixed', fixed: 50, minimum: 30 };
  t.match(knowledge.current().density, { pods: 50, origin: 'fixed' });
  world.planning = HIGH_WATER;
  t.match(knowledge.current().density, { pods: 90, origin: 'highWaterMark' });
});

t.test('two of them: one counts, both know', async (t) => {
  const world = await clusterWith(t);
  const [a, b] = [know(t, world, 'a'), know(t, world, 'b')];
  await Promise.all([a.next(), b.next()]);
  world.clock.advance(MINUTE);
  await Promise.all([a.next(), b.next()]);
  const [ofA, ofB] = [a.knowledge.current(), b.knowledge.current()];
  t.same([ofA.isLeader, ofB.isLeader].sort(), [false, true]);
  t.same([ofA.density.pods, ofB.density.pods], [90, 90]);
});

t.test('the end: no call any more, the Lease given up, twice as well as once', async (t) => {
  const world = await clusterWith(t);
  const { knowledge, next } = know(t, world);
  await next();
  await knowledge.stop();
  await knowledge.stop();
  t.equal(at(world.cluster.objects.get(LEASE), 'spec', 'holderIdentity'), undefined);
  const calls = world.cluster.seen.length;
  world.clock.advance(10 * MINUTE);
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(world.cluster.seen.length, calls);
});

t.test('the end in the middle of a call that hangs', async (t) => {
  const world = await clusterWith(t);
  const { knowledge, next, errors } = know(t, world);
  await next();
  world.fault = ({ method }) => (method === 'GET' ? 'hang' : undefined);
  world.clock.advance(MINUTE);
  const calls = world.cluster.seen.length;
  while (world.cluster.seen.length < calls + 3) await new Promise((resolve) => setTimeout(resolve, 5));
  world.fault = () => undefined;
  await knowledge.stop();
  t.same(errors, [], 'to be stopped is no failure');
  t.equal(at(world.cluster.objects.get(LEASE), 'spec', 'holderIdentity'), undefined);
});
