import fc from 'fast-check';
import t from 'tap';
import { Lease } from '../../../src/kube/lease.ts';
import { MARKS_NAME, RESET_ANNOTATION } from '../../../src/kube/marks.ts';
import { MarksKeeper } from '../../../src/kube/marks-keeper.ts';
import { at, objectAt } from '../../../src/object/object.ts';
import { FakeClock, page, podTable, status } from './fake-api.ts';
import { type FakeCluster, fakeCluster } from './fake-cluster.ts';

const MARKS = `/api/v1/namespaces/ours/configmaps/${MARKS_NAME}`;
const MINUTE = 60_000;

/** A cluster with so many pods on its nodes. */
async function clusterWith(t: { teardown(end: () => unknown): void }) {
  const cluster = await fakeCluster(t);
  const world = {
    cluster,
    clock: new FakeClock(),
    pods: {} as Record<string, number>,
    counts: 0,
    failPods: false,
    failWrites: false,
  };
  cluster.before = ({ method, path }) => {
    if (path === '/api/v1/pods') {
      world.counts += 1;
      if (world.failPods) return status(500, 'InternalError');
      return podTable(Object.entries(world.pods).flatMap(([node, pods]) => Array(pods).fill(node)));
    }
    if (path === '/api/v1/nodes')
      return page([{ metadata: { name: 'n' }, status: { allocatable: { pods: '110' } } }]);
    if (world.failWrites && method !== 'GET' && path.includes('configmaps')) return status(403, 'Forbidden');
    return undefined;
  };
  return world;
}
type FakeWorld = Awaited<ReturnType<typeof clusterWith>>;

function replica({ cluster, clock }: FakeWorld, identity: string) {
  const { api } = cluster;
  const lease = new Lease({ api, namespace: 'ours', identity, durationMs: 2.5 * MINUTE, clock });
  const keeper = new MarksKeeper(api, 'ours', lease);
  return {
    lease,
    keeper,
    refresh: () => keeper.refresh('highWaterMark', clock.pass()),
    marks: () => {
      const marks = keeper.marks('highWaterMark');
      return marks === null ? null : Object.fromEntries(marks);
    },
  };
}
const askReset = (cluster: FakeCluster) =>
  cluster.change(MARKS, (object) => ({
    ...object,
    metadata: { ...objectAt(object, 'metadata'), annotations: { [RESET_ANNOTATION]: 'true' } },
  }));
const storedMarks = (cluster: FakeCluster) => at(cluster.objects.get(MARKS), 'data', 'highWaterMark.json');

t.test('the leader counts and writes, the others read', async (t) => {
  const world = await clusterWith(t);
  const [a, b] = [replica(world, 'a'), replica(world, 'b')];
  world.pods = { n: 90, m: 30 };
  t.equal(a.marks(), null);
  await a.refresh();
  await b.refresh();
  t.same(a.marks(), { n: 90, m: 30 });
  t.same(b.marks(), { n: 90, m: 30 });
  t.equal(world.counts, 1, 'one sweep for both');
  t.equal(storedMarks(world.cluster), '{"n":90,"m":30}');
});

t.test('who comes before any leader has counted is told so', async (t) => {
  const world = await clusterWith(t);
  const [a, b] = [replica(world, 'a'), replica(world, 'b')];
  await a.lease.renew(world.clock.pass());
  await t.rejects(b.refresh(), { code: 'unavailable' });
  t.equal(b.marks(), null);
  t.equal(world.counts, 0);
});

t.test('marks do not fall when the cluster drains, and nothing is written for it', async (t) => {
  const world = await clusterWith(t);
  const a = replica(world, 'a');
  world.pods = { n: 90 };
  await a.refresh();
  const version = at(world.cluster.objects.get(MARKS), 'metadata', 'resourceVersion');
  world.pods = { n: 10, m: 0 };
  await a.refresh();
  t.same(a.marks(), { n: 90 });
  t.equal(at(world.cluster.objects.get(MARKS), 'metadata', 'resourceVersion'), version);
  world.pods = { n: 91 };
  await a.refresh();
  t.equal(storedMarks(world.cluster), '{"n":91}');
});

t.test('a restart at a lower density begins with the stored marks', async (t) => {
  const world = await clusterWith(t);
  const a = replica(world, 'a');
  world.pods = { n: 90 };
  await a.refresh();
  await a.lease.release(world.clock.pass());
  world.pods = { n: 10 };
  const b = replica(world, 'b');
  await b.refresh();
  t.same(b.marks(), { n: 90 });
});

t.test('a count that fails changes nothing', async (t) => {
  const world = await clusterWith(t);
  const a = replica(world, 'a');
  world.pods = { n: 90 };
  await a.refresh();
  world.failPods = true;
  await t.rejects(a.refresh(), { code: 'server-error' });
  t.same(a.marks(), { n: 90 });
});

t.test('what cannot be stored holds where it was counted, and rises', async (t) => {
  const world = await clusterWith(t);
  const a = replica(world, 'a');
  world.failWrites = true;
  for (const [pods, mark] of [
    [90, 90],
    [91, 91],
    [10, 91],
  ] as const) {
    world.pods = { n: pods };
    await t.rejects(a.refresh(), { code: 'forbidden' });
    t.same(a.marks(), { n: mark });
  }
  world.failWrites = false;
  await a.refresh();
  t.equal(storedMarks(world.cluster), '{"n":91}');
});

t.test('the annotation resets the marks of all', async (t) => {
  const world = await clusterWith(t);
  const [a, b] = [replica(world, 'a'), replica(world, 'b')];
  world.pods = { n: 250 };
  await a.refresh();
  await b.refresh();
  world.pods = { n: 10 };
  askReset(world.cluster);
  await b.refresh();
  t.same(b.marks(), { n: 250 }, 'only the leader resets');
  await a.refresh();
  await b.refresh();
  t.same(a.marks(), { n: 10 });
  t.same(b.marks(), { n: 10 });
  world.pods = { n: 5 };
  await a.refresh();
  t.same(a.marks(), { n: 10 }, 'once');
});

t.test('a reset whose count or write fails is not lost, and the marks stay until then', async (t) => {
  for (const fault of ['failPods', 'failWrites'] as const) {
    const world = await clusterWith(t);
    const a = replica(world, 'a');
    world.pods = { n: 250 };
    await a.refresh();
    world.pods = { n: 10 };
    askReset(world.cluster);
    world[fault] = true;
    await t.rejects(a.refresh());
    t.same(a.marks(), { n: 250 }, fault);
    world[fault] = false;
    await a.refresh();
    t.same(a.marks(), { n: 10 }, fault);
  }
});

t.test(
  'deleting the ConfigMap resets too, and those who only read keep theirs until it is there again',
  async (t) => {
    const world = await clusterWith(t);
    const [a, b] = [replica(world, 'a'), replica(world, 'b')];
    world.pods = { n: 250 };
    await a.refresh();
    await b.refresh();
    world.pods = { n: 10 };
    world.cluster.objects.delete(MARKS);
    await b.refresh();
    t.same(b.marks(), { n: 250 });
    await a.refresh();
    await b.refresh();
    t.same([a.marks(), b.marks()], [{ n: 10 }, { n: 10 }]);
  },
);

t.test('another one leads when the leader is gone, and goes on from its marks', async (t) => {
  const world = await clusterWith(t);
  const [a, b] = [replica(world, 'a'), replica(world, 'b')];
  world.pods = { n: 90 };
  await a.refresh();
  await b.refresh();
  world.pods = { n: 120 };
  for (let minute = 0; minute < 3; minute++) {
    world.clock.advance(MINUTE);
    await b.refresh();
  }
  t.equal(b.lease.isHeld(), true);
  t.same(b.marks(), { n: 120 });
  await a.refresh();
  t.equal(a.lease.isHeld(), false);
  t.same(a.marks(), { n: 120 });
});

t.test('a leader that was slow writes nothing any more', async (t) => {
  const world = await clusterWith(t);
  const a = replica(world, 'a');
  world.pods = { n: 90 };
  await a.refresh();
  const { before } = world.cluster;
  world.cluster.before = (request) => {
    if (request.path === '/api/v1/pods') world.clock.advance(3 * MINUTE);
    return before(request);
  };
  world.pods = { n: 91 };
  await t.rejects(a.keeper.refresh('highWaterMark', world.clock.pass(10 * MINUTE)), { code: 'timed-out' });
  t.equal(storedMarks(world.cluster), '{"n":90}');
  t.same(a.marks(), { n: 91 }, 'but what it counted holds here');
});

t.test('another statistic has marks of its own', async (t) => {
  const world = await clusterWith(t);
  const a = replica(world, 'a');
  world.pods = { n: 10 };
  await a.refresh();
  await a.keeper.refresh('allocatable', world.clock.pass());
  t.same([...(a.keeper.marks('allocatable') ?? [])], [['n', 110]]);
  t.same(a.marks(), { n: 10 });
});

t.test('whether the host network was left out', async (t) => {
  const world = await clusterWith(t);
  const a = replica(world, 'a');
  const { before } = world.cluster;
  world.cluster.before = (request) =>
    request.query.get('fieldSelector')?.includes('hostNetwork') ? status(400, 'BadRequest') : before(request);
  t.equal(a.keeper.withoutHostNetwork, true);
  await a.refresh();
  t.equal(a.keeper.withoutHostNetwork, false);
});

t.test('whatever is counted, in whatever order, by whom: no mark ever falls', async (t) => {
  const step = fc.record({
    who: fc.constantFrom('a', 'b'),
    pods: fc.dictionary(fc.constantFrom('n', 'm'), fc.integer({ min: 0, max: 20 })),
    fault: fc.constantFrom('none', 'failPods', 'failWrites'),
    minutes: fc.integer({ min: 0, max: 4 }),
  });
  const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
    const ends: (() => unknown)[] = [];
    const world = await clusterWith({ teardown: (end) => ends.push(end) });
    const replicas = { a: replica(world, 'a'), b: replica(world, 'b') };
    try {
      for (const { who, pods, fault, minutes } of steps) {
        world.clock.advance(minutes * MINUTE);
        Object.assign(world, { pods, failPods: fault === 'failPods', failWrites: fault === 'failWrites' });
        const before: Record<string, number> = replicas[who].marks() ?? {};
        await replicas[who].refresh().catch(() => {});
        const after: Record<string, number> = replicas[who].marks() ?? {};
        for (const [node, mark] of Object.entries(before)) if ((after[node] ?? -1) < mark) return false;
      }
      return true;
    } finally {
      for (const end of ends) await end();
    }
  });
  await fc.assert(property, { numRuns: 30 });
  t.ok(true);
});
