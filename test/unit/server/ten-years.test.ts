import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { keepingOf } from '../../../src/tls/keeping.ts';
import { bundleOf } from '../../../src/tls/rotation.ts';
import { validity } from '../../../src/tls/validity.ts';
import { FakeClock } from '../kube/fake-api.ts';
import { type Fate, MemoryCluster, SECRET } from './memory-cluster.ts';
import { INTERVAL_MS, type Replica, replica } from './replica.ts';

t.setTimeout(300_000);

const DAY = 86_400_000;
const START = Date.parse('2030-01-01T00:00:00Z');
/** Times that each replica looks after something was written, before time leaps on. */
const LOOKS = 12;

/** Numbers from 0 to under 1 (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

class Death extends Error {}

interface Process {
  replica: Replica;
  /** Once callers accepted what it serves they have to, for as long as it lives. */
  wasReady: boolean;
  isDead: boolean;
}

/** Whether callers that go by this bundle accept the leaf, but for its end. */
function trust() {
  const known = new Map<string, boolean>();
  return (leaf: string, key: string, bundle: string, now: Date): boolean => {
    const id = leaf + bundle;
    const ok =
      known.get(id) ??
      validity({ certificatePem: leaf, privateKeyPem: key, authorityPem: bundle, names: [], now }).ok;
    known.set(id, ok);
    return ok;
  };
}

interface Story {
  readonly failures: number;
  readonly steps: number;
}

/**
 * Ten years of two processes, with calls that are lost or done unheard, with deaths at any call, with both leading or
 * none, with a Secret that is deleted or spoiled. Throws where a caller would not accept what is served.
 */
async function tenYears(seed: number): Promise<Story> {
  const chance = numbersFrom(seed);
  const clock = new FakeClock(START);
  const cluster = new MemoryCluster();
  const isTrusted = trust();
  let trouble = 0.02;
  let failures = 0;
  const begin = (): Process => {
    const process: Process = { wasReady: false, isDead: false, replica: undefined as never };
    const fate = async (): Promise<Fate> => {
      // Two passes run at once, and get in each other's way.
      for (let turns = chance() * 3; turns > 1; turns--)
        await new Promise((resolve) => setImmediate(resolve));
      if (process.isDead || chance() < trouble / 4) {
        process.isDead = true;
        throw new Death();
      }
      return chance() < trouble ? (chance() < 0.5 ? 'lost' : 'unheard') : 'done';
    };
    const isLeader = () => chance() < 0.7;
    process.replica = replica(cluster.api(fate), clock, { isLeader });
    return process;
  };
  const processes = [begin(), begin()];
  /** caBundles by which an API server may still go: all since the look before the last one. */
  let recent: (readonly string[])[] = [];
  let older = 0;

  const tick = async () => {
    const written = cluster.writes.length;
    const before = cluster.versions.length;
    await Promise.all(
      processes.map(async (process) => {
        await process.replica.pass().catch(() => {
          failures += 1;
        });
      }),
    );
    processes.forEach((process, index) => {
      if (process.isDead) processes[index] = begin();
    });
    recent = cluster.versions.slice(older);
    older = Math.max(0, before - 1);
    for (const process of processes) check(process);
    return cluster.writes.length > written;
  };
  const check = (process: Process) => {
    const { cert, key } = process.replica.manager.context();
    const now = new Date(clock.now());
    if (typeof cert !== 'string' || typeof key !== 'string') return;
    const accepts = (bundles: readonly string[]) =>
      bundles.every((bundle) => isTrusted(cert, key, bundle, now));
    const isReady = process.replica.manager.state().missing.length === 0;
    if (!process.wasReady) process.wasReady = isReady && recent.every(accepts);
    if (!process.wasReady) return;
    const day = Math.floor((clock.now() - START) / DAY);
    if (new X509Certificate(cert).validToDate < now) throw new Error(`day ${day}: expired`);
    if (!recent.every(accepts)) throw new Error(`day ${day}: not trusted by every API server`);
    for (const bundle of cluster.bundles())
      for (const [pem] of bundle.matchAll(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----/g))
        if (new X509Certificate(pem).validToDate < now) throw new Error(`day ${day}: an expired authority`);
    if (!isReady) throw new Error(`day ${day}: ${process.replica.manager.state().missing}`);
  };

  let quiet = 0;
  while (clock.now() < START + 3650 * DAY) {
    quiet = (await tick()) ? 0 : quiet + 1;
    const isQuiet = quiet >= LOOKS;
    if (isQuiet && chance() < 0.01) cluster.objects.delete(SECRET);
    if (isQuiet && chance() < 0.01) cluster.put(SECRET, { data: { 'tls.crt': 'c3BvaWxlZA==' } });
    clock.advance(isQuiet ? (1 + 9 * chance()) * DAY : INTERVAL_MS);
  }
  trouble = 0;
  for (let look = 0; look < LOOKS; look++) {
    await tick();
    clock.advance(look === LOOKS / 2 ? 3_600_000 : INTERVAL_MS);
  }
  const steps = cluster.writes.length;
  for (let look = 0; look < LOOKS; look++) await tick();
  if (cluster.writes.length > steps) throw new Error('it does not come to rest');

  const data = (cluster.objects.get(SECRET)?.['data'] ?? {}) as Record<string, string>;
  const texts = Object.entries(data).map(([name, text]) => [name, Buffer.from(text, 'base64').toString()]);
  const kept = keepingOf(Object.fromEntries(texts));
  if (kept === null || kept.next !== null || kept.old !== null)
    throw new Error('a rotation was left half done');
  for (const bundle of cluster.bundles())
    if (bundle !== bundleOf(kept)) throw new Error('another bundle is live');
  for (const { replica } of processes)
    if (replica.served() !== kept.leaf.certificatePem) throw new Error('another leaf is served');
  return { failures, steps };
}

t.test('ten years of failures, and no call that fails', async (t) => {
  const stories: Story[] = [];
  const seeds = fc.integer({ min: 0, max: 0x7fffffff });
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      stories.push(await tenYears(seed));
    }),
    { numRuns: 2, endOnFailure: true },
  );
  t.comment(JSON.stringify(stories));
  for (const { failures, steps } of stories) {
    t.ok(failures > 10, 'there was trouble');
    t.ok(steps > 150, 'and work');
  }
});
