import t from 'tap';
import { LEASE_NAME, Lease } from '../../../src/kube/lease.ts';
import { at } from '../../../src/object/object.ts';
import { FakeClock, status } from './fake-api.ts';
import { type FakeCluster, fakeCluster } from './fake-cluster.ts';

const PATH = `/apis/coordination.k8s.io/v1/namespaces/ours/leases/${LEASE_NAME}`;
const DURATION_MS = 150_000;

const lease = (cluster: FakeCluster, clock: FakeClock, identity: string) =>
  new Lease({ api: cluster.api, namespace: 'ours', identity, durationMs: DURATION_MS, clock });
const specOf = (cluster: FakeCluster) => at(cluster.objects.get(PATH), 'spec');

t.test('the first one takes it, and keeps it', async (t) => {
  const cluster = await fakeCluster(t);
  const clock = new FakeClock();
  const a = lease(cluster, clock, 'a');
  t.equal(a.isHeld(), false);
  t.equal(await a.renew(clock.pass()), true);
  t.equal(a.isHeld(), true);
  const taken = '2027-01-31T12:00:00.000000Z';
  t.same(specOf(cluster), {
    holderIdentity: 'a',
    leaseDurationSeconds: 150,
    acquireTime: taken,
    renewTime: taken,
    leaseTransitions: 0,
  });
  clock.advance(60_000);
  t.equal(await a.renew(clock.pass()), true);
  t.match(specOf(cluster), {
    acquireTime: taken,
    renewTime: '2027-01-31T12:01:00.000000Z',
    leaseTransitions: 0,
  });
});

t.test('held until its duration is over, to the millisecond', async (t) => {
  const cluster = await fakeCluster(t);
  const clock = new FakeClock();
  const a = lease(cluster, clock, 'a');
  await a.renew(clock.pass());
  clock.advance(DURATION_MS - 1);
  t.equal(a.isHeld(), true);
  clock.advance(1);
  t.equal(a.isHeld(), false);
});

t.test('a second one takes it only when it has seen it unchanged for the duration', async (t) => {
  const cluster = await fakeCluster(t);
  // Whatever the clocks of the others say.
  const [clockOfA, clock] = [new FakeClock(0), new FakeClock()];
  const [a, b] = [lease(cluster, clockOfA, 'a'), lease(cluster, clock, 'b')];
  await a.renew(clockOfA.pass());
  t.equal(await b.renew(clock.pass()), false, 'just seen for the first time');
  clock.advance(DURATION_MS - 1);
  t.equal(await b.renew(clock.pass()), false, 'not quite');
  await a.renew(clockOfA.pass());
  clock.advance(1);
  t.equal(await b.renew(clock.pass()), false, 'renewed in between');
  clock.advance(DURATION_MS);
  t.equal(await b.renew(clock.pass()), true, 'abandoned');
  t.match(specOf(cluster), { holderIdentity: 'b', leaseTransitions: 1 });
  t.equal(await a.renew(clockOfA.pass()), false, 'lost');
  t.equal(a.isHeld(), false, 'and the old one knows it');
});

t.test('given up, it is free at once', async (t) => {
  const cluster = await fakeCluster(t);
  const clock = new FakeClock();
  const [a, b] = [lease(cluster, clock, 'a'), lease(cluster, clock, 'b')];
  await a.renew(clock.pass());
  await a.release(clock.pass());
  t.equal(a.isHeld(), false);
  t.equal(at(specOf(cluster), 'holderIdentity'), undefined);
  t.equal(await b.renew(clock.pass()), true);
  t.match(specOf(cluster), { holderIdentity: 'b', leaseTransitions: 1 });
});

t.test('only the holder gives it up', async (t) => {
  const cluster = await fakeCluster(t);
  const clock = new FakeClock();
  const [a, b] = [lease(cluster, clock, 'a'), lease(cluster, clock, 'b')];
  await a.renew(clock.pass());
  const writes = cluster.writes();
  await b.release(clock.pass());
  cluster.change(PATH, (object) => ({ ...object, spec: { holderIdentity: 'c' } }));
  await a.release(clock.pass());
  cluster.objects.delete(PATH);
  await a.release(clock.pass());
  t.equal(cluster.writes(), writes);
});

t.test('of two at once one loses', async (t) => {
  for (const exists of [false, true]) {
    const cluster = await fakeCluster(t);
    const clock = new FakeClock();
    const [a, b] = [lease(cluster, clock, 'a'), lease(cluster, clock, 'b')];
    if (exists) {
      await a.renew(clock.pass());
      await a.release(clock.pass());
    }
    const both = await Promise.all([a.renew(clock.pass()), b.renew(clock.pass())]);
    const winner = at(specOf(cluster), 'holderIdentity');
    t.same(both, [winner === 'a', winner === 'b'], `exists: ${exists}`);
    t.same([a.isHeld(), b.isHeld()], both);
  }
});

t.test('a failure is thrown, and what is held is held until its time is over', async (t) => {
  const cluster = await fakeCluster(t);
  const clock = new FakeClock();
  const a = lease(cluster, clock, 'a');
  await a.renew(clock.pass());
  for (const failing of ['GET', 'PUT']) {
    cluster.before = ({ method }) => (method === failing ? status(500, 'InternalError') : undefined);
    await t.rejects(a.renew(clock.pass()), { code: 'server-error' }, failing);
    t.equal(a.isHeld(), true);
  }
});

t.test('a Lease that somebody spoiled', async (t) => {
  for (const spec of [undefined, null, 'x', { holderIdentity: 7, leaseTransitions: 'many' }]) {
    const cluster = await fakeCluster(t);
    const clock = new FakeClock();
    const a = lease(cluster, clock, 'a');
    await a.renew(clock.pass());
    cluster.change(PATH, (object) => ({ ...object, spec }));
    t.equal(await a.renew(clock.pass()), true);
    t.match(specOf(cluster), { holderIdentity: 'a', leaseTransitions: 1 });
  }
});
