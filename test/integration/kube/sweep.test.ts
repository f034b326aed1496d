import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { connectCluster } from '../../../src/kube/client.ts';
import { systemClock } from '../../../src/kube/clock.ts';
import { countPods } from '../../../src/kube/density.ts';
import { fakeApi, podTable, type Reply, type Seen, status } from '../../unit/kube/fake-api.ts';

const NODES = 20;
const PODS_A_NODE = 110;
const PAGE = 500;

/** All pods of that cluster, in pages as they are asked for. */
function pageOf({ query }: Seen): Reply {
  const from = Number(query.get('continue') ?? 0);
  const rows = Array.from({ length: Math.min(PAGE, NODES * PODS_A_NODE - from) }, (_, row) => {
    return `node-${(from + row) % NODES}`;
  });
  const next = from + rows.length;
  return podTable(rows, next < NODES * PODS_A_NODE ? String(next) : '');
}

/** Counts through everything that is between a kubeconfig and a number. */
async function sweep(
  t: { teardown(end: () => unknown): void },
  reply: (request: Seen, call: number) => Reply,
  deadlineMs = 30_000,
) {
  let calls = 0;
  const { url, seen } = await fakeApi(t, (request) => reply(request, calls++));
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-sweep-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'config');
  const config = {
    'current-context': 'x',
    clusters: [{ name: 'x', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'x', user: { token: 'abc' } }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
  };
  await writeFile(file, JSON.stringify(config));
  const { api, close } = await connectCluster({ kind: 'kubeconfig', file }, 'plimsoll/test');
  t.teardown(close);
  const { signal } = new AbortController();
  const counted = countPods(api, { clock: systemClock, deadline: Date.now() + deadlineMs, signal });
  return { counted, seen };
}

const WHOLE = Object.fromEntries(Array.from({ length: NODES }, (_, node) => [`node-${node}`, PODS_A_NODE]));

const faults: readonly (readonly [name: string, reply: (call: number) => Reply | null, calls: number])[] = [
  ['nothing amiss', () => null, 5],
  ['busy twice', (call) => (call === 1 || call === 2 ? status(429, 'x', { 'retry-after': '0' }) : null), 7],
  ['too old on the third page', (call) => (call === 2 ? status(410, 'Expired') : null), 8],
  [
    'too old, then busy',
    (call) => [status(410, 'Expired'), status(503, 'x', { 'retry-after': '0' })][call - 2] ?? null,
    9,
  ],
];

t.test('the whole is counted, whatever happens on the way', async (t) => {
  for (const [name, fault, calls] of faults)
    await t.test(name, async (t) => {
      const { counted, seen } = await sweep(t, (request, call) => fault(call) ?? pageOf(request));
      t.same(Object.fromEntries((await counted).pods), WHOLE);
      t.equal(seen.length, calls);
      t.ok(seen.every(({ headers }) => headers.authorization === 'Bearer abc'));
    });
});

const ends: readonly (readonly [name: string, last: Reply, code: string])[] = [
  ['garbage', { text: '{"kind":"Table"' }, 'bad-answer'],
  ['an answer that ends early', { text: 'x'.repeat(1000), cut: true }, 'unreachable'],
  ['a refusal', status(403, 'Forbidden'), 'forbidden'],
  ['no answer', 'hang', 'timed-out'],
  [
    'a server that wants to be left alone for longer than there is',
    status(429, 'x', { 'retry-after': '3600' }),
    'too-many-requests',
  ],
];

t.test('some of the pages are no count', async (t) => {
  for (const [name, last, code] of ends)
    await t.test(name, async (t) => {
      const { counted, seen } = await sweep(
        t,
        (request, call) => (call === 3 ? last : pageOf(request)),
        last === 'hang' ? 2000 : 30_000,
      );
      await t.rejects(counted, { code });
      t.equal(seen.length, 4);
    });
});
