import { X509Certificate } from 'node:crypto';
import t from 'tap';
import { KubeError } from '../../../src/kube/failures.ts';
import { type SelfManagedOptions, serviceNames } from '../../../src/server/self-managed.ts';
import { FakeClock } from '../kube/fake-api.ts';
import { type Fate, MemoryCluster, MUTATING, SECRET, VALIDATING } from './memory-cluster.ts';
import { INTERVAL_MS, type Replica, replica } from './replica.ts';

const DAY = 86_400_000;

/** Two processes of which the first leads, on a cluster that has been looked after once. */
async function settled(over: Partial<SelfManagedOptions> = {}) {
  const clock = new FakeClock();
  const cluster = new MemoryCluster();
  const leader = replica(cluster.api(), clock, over);
  const follower = replica(cluster.api(), clock, { ...over, isLeader: () => false });
  const look = async (times = 1) => {
    for (let looks = 0; looks < times; looks++) {
      await leader.pass();
      await follower.pass();
      clock.advance(INTERVAL_MS);
    }
  };
  await look();
  cluster.writes.length = 0;
  return { clock, cluster, leader, follower, look };
}
const missing = ({ manager }: Replica) => manager.state().missing;
const namesOf = (pem: string | null) => new X509Certificate(pem ?? '').subjectAltName;

t.test('by what the Service is called', (t) => {
  t.same(serviceNames('a', 'b'), ['a', 'a.b', 'a.b.svc', 'a.b.svc.cluster.local']);
  t.end();
});

t.test('from nothing to ready', async (t) => {
  const clock = new FakeClock();
  const cluster = new MemoryCluster();
  const leader = replica(cluster.api(), clock);
  const follower = replica(cluster.api(), clock, { isLeader: () => false });
  t.same(missing(leader), ['certificate: Secret ours/plimsoll-tls: not read yet']);
  await follower.pass();
  t.same(missing(follower), [
    'certificate: Secret ours/plimsoll-tls: there is none yet; the leader will make one',
  ]);
  t.equal(follower.manager.hasOne(), false);
  t.same(cluster.writes, [], 'who does not lead writes nothing');

  await leader.pass();
  await leader.manager.first;
  t.same(cluster.writes, [`APPLY ${SECRET}`, `PUT ${SECRET}`, `MERGE ${VALIDATING}`, `MERGE ${MUTATING}`]);
  await follower.pass();
  for (const one of [leader, follower]) {
    t.same(missing(one), []);
    t.equal(one.manager.hasOne(), true);
    t.equal(one.contexts.length, 0, 'the first context is asked for, not told');
  }
  t.equal(leader.served(), follower.served());
  t.equal(
    namesOf(leader.served()),
    'DNS:plimsoll, DNS:plimsoll.ours, DNS:plimsoll.ours.svc, DNS:plimsoll.ours.svc.cluster.local',
  );
  t.same(leader.manager.state().ends, {
    serving: new Date(clock.now() + 90 * DAY),
    authority: new Date(clock.now() + 365 * DAY),
  });
  await leader.pass();
  t.equal(cluster.writes.length, 4, 'and then it rests');
});

t.test('a Secret without content is filled', async (t) => {
  const cluster = new MemoryCluster();
  cluster.put(SECRET, { kind: 'Secret', type: 'Opaque' });
  await replica(cluster.api(), new FakeClock()).pass();
  t.equal(cluster.writes[0], `PUT ${SECRET}`);
});

t.test('of two that lead at once, one makes the certificates', async (t) => {
  const clock = new FakeClock();
  const cluster = new MemoryCluster();
  const [a, b] = [replica(cluster.api(), clock), replica(cluster.api(), clock)];
  await Promise.all([a.pass(), b.pass()]);
  t.equal(a.served(), b.served());
  t.same([missing(a), missing(b)], [[], []]);
  t.equal(cluster.writes.filter((write) => write === `PUT ${SECRET}`).length, 1);
});

t.test('a caBundle that was reverted is mended, whatever it was reverted to', async (t) => {
  const { cluster, leader, follower, look } = await settled();
  const [good] = cluster.bundles();
  const foreign = new MemoryCluster();
  await replica(foreign.api(), new FakeClock()).pass();
  for (const [path, kind, bundle] of [
    [VALIDATING, 'ValidatingWebhookConfiguration', ''],
    [MUTATING, 'MutatingWebhookConfiguration', foreign.bundles()[0]!],
  ] as const) {
    cluster.revert(path, bundle);
    await follower.pass();
    t.match(missing(follower)[0], `certificate: ${kind} plimsoll: the caBundle of `);
    cluster.writes.length = 0;
    await look();
    t.same(cluster.writes, [`MERGE ${path}`], 'and nothing else is written');
    t.same(new Set(cluster.bundles()), new Set([good]));
    t.same([missing(leader), missing(follower)], [[], []]);
  }
});

t.test('a Secret that was deleted is made anew, and nobody serves what is not trusted', async (t) => {
  const { cluster, leader, follower, look } = await settled();
  const before = leader.served();
  cluster.objects.delete(SECRET);
  await follower.pass();
  t.equal(follower.served(), before, 'it goes on with what it has');
  t.same(missing(follower), []);
  await look();
  t.same([leader.served(), follower.served()], [before, before], 'until the new one is trusted everywhere');
  t.match(cluster.bundles(), Array(3).fill(/(-----BEGIN[^-]*-----[^-]*-----END[^-]*-----\n){2}/));
  await look(3);
  t.not(leader.served(), before);
  t.equal(leader.served(), follower.served());
  t.same([leader.contexts.length, follower.contexts.length], [1, 1]);
  t.equal(leader.contexts[0]?.cert, leader.served());
});

t.test('a renewal', async (t) => {
  const { clock, cluster, leader, follower, look } = await settled();
  const before = leader.served();
  clock.advance(60 * DAY);
  await look();
  t.same(cluster.writes, [`PUT ${SECRET}`], 'a new leaf of the same authority');
  t.equal(leader.served(), before, 'which is not served at once');
  await look(3);
  t.not(leader.served(), before);
  t.equal(follower.served(), leader.served());
  t.equal(cluster.writes.length, 1);
});

t.test('a rotation', async (t) => {
  const { clock, cluster, leader, follower, look } = await settled({
    lives: { authorityDays: 30, leafDays: 90 },
  });
  const [before] = cluster.bundles();
  clock.advance(20 * DAY);
  await look();
  const publishing = [`MERGE ${VALIDATING}`, `MERGE ${MUTATING}`];
  t.same(cluster.writes, [`PUT ${SECRET}`, ...publishing, `PUT ${SECRET}`]);
  t.match(cluster.bundles(), Array(3).fill(before), 'the old one is trusted on');
  await look(3);
  t.equal(follower.served(), leader.served());
  cluster.writes.length = 0;
  clock.advance(3_600_000);
  await look();
  t.same(cluster.writes, [`PUT ${SECRET}`, ...publishing], 'an hour later the old one goes');
  t.notMatch(cluster.bundles()[0], before);
  t.same([missing(leader), missing(follower)], [[], []]);
});

t.test('nobody takes back what another has published while he looked', async (t) => {
  for (const point of [`GET ${VALIDATING}`, `GET ${MUTATING}`, `GET ${SECRET}`, `MERGE ${VALIDATING}`]) {
    const { clock, cluster, leader } = await settled({ lives: { authorityDays: 30, leafDays: 90 } });
    clock.advance(20 * DAY);
    let isFirst = true;
    const slow = async (verb: string, path: string): Promise<Fate> => {
      if (`${verb} ${path}` !== point || !isFirst) return 'done';
      isFirst = false;
      await leader.pass();
      cluster.versions.length = 0;
      return 'done';
    };
    await replica(cluster.api(slow), clock).pass();
    t.equal(isFirst, false, point);
    const [both] = cluster.bundles();
    t.match(both, /(-----BEGIN[^-]*-----[^-]*-----END[^-]*-----\n){2}/);
    for (const version of cluster.versions) t.same(version, [both, both, both], point);
  }
});

t.test('what cannot be written is told, and what can be read is served', async (t) => {
  const { clock, cluster, look } = await settled();
  const forbids = async (verb: string): Promise<Fate> => {
    if (verb === 'MERGE') throw new KubeError('forbidden', { status: 403 });
    return 'done';
  };
  const other = replica(cluster.api(forbids), clock);
  cluster.revert(MUTATING, '');
  await t.rejects(other.pass(), { code: 'forbidden' });
  t.equal(other.manager.hasOne(), true);
  t.match(other.manager.state(), {
    missing: [
      'certificate: MutatingWebhookConfiguration plimsoll: the caBundle of floors does not vouch for the one in use',
    ],
    notes: ['certificates: the API server does not permit it (403)'],
  });
  await look();
  await other.pass();
  t.match(other.manager.state(), { missing: [], notes: [] });
});

t.test('an API server that cannot be reached', async (t) => {
  const { clock, cluster, leader } = await settled();
  let fate: Fate = 'lost';
  const other = replica(
    cluster.api(async () => fate),
    clock,
  );
  await t.rejects(other.pass(), { code: 'unreachable' });
  t.same(missing(other), [
    `certificate: Secret ours/plimsoll-tls: GET ${VALIDATING}: the API server could not be reached`,
  ]);
  fate = 'done';
  await other.pass();
  t.equal(other.served(), leader.served());
  fate = 'lost';
  await t.rejects(other.pass(), { code: 'unreachable' });
  t.same(missing(other), [], 'nothing is wrong with what it has');
});

t.test('a certificate that expires although all is lost', async (t) => {
  const { clock, follower } = await settled();
  clock.advance(90 * DAY);
  t.match(missing(follower), [/^certificate: expired: /]);
});

t.test('whoever stops to lead stops to write', async (t) => {
  const cluster = new MemoryCluster();
  let steps = 0;
  await replica(cluster.api(), new FakeClock(), { isLeader: () => steps++ < 1 }).pass();
  t.same(cluster.writes, [`APPLY ${SECRET}`]);
});

t.test('another authority of clients is taken up', async (t) => {
  const cluster = new MemoryCluster();
  let authority = 'A';
  const one = replica(cluster.api(), new FakeClock(), { readClientAuthority: async () => authority });
  await one.pass();
  t.equal(one.manager.context().ca, 'A');
  await one.pass();
  t.equal(one.contexts.length, 0);
  authority = 'B';
  await one.pass();
  t.match(one.contexts, [{ ca: 'B', cert: one.served() }]);
});
