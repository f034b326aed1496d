import t from 'tap';
import { kubeErrorCode } from '../../../src/kube/failures.ts';
import { itemsOf, readObjects } from '../../../src/kube/paging.ts';
import { at, type JsonObject } from '../../../src/object/object.ts';
import { FakeClock, fakeApi, page, type Reply, status } from './fake-api.ts';

const THING = { apiVersion: 'example.com/v1', kind: 'Thing' };
const REQUEST = { path: '/things', limit: 2 };
const item = (name: string) => ({ metadata: { name } });
const names = (objects: readonly JsonObject[]) => objects.map((object) => at(object, 'metadata', 'name'));

/** Answers in turn; the last for ever. */
const inTurn = (replies: readonly Reply[]) => {
  let turn = 0;
  return () => replies[Math.min(turn++, replies.length - 1)]!;
};

const codeOf = async (promise: Promise<unknown>) => {
  try {
    return { objects: await promise };
  } catch (error) {
    return kubeErrorCode(error);
  }
};

t.test('pages become one list, and each object says what it is', async (t) => {
  const { api, seen } = await fakeApi(t, ({ query }) =>
    query.get('continue') === null
      ? page([item('a'), item('b')], 'next')
      : page([{ ...item('c'), kind: 'Other' }]),
  );
  const objects = await readObjects(api, REQUEST, THING, new FakeClock().pass());
  t.same(names(objects), ['a', 'b', 'c']);
  for (const object of objects) t.match(object, THING);
  t.same(
    seen.map(({ query }) => [query.get('limit'), query.get('continue')]),
    [
      ['2', null],
      ['2', 'next'],
    ],
  );
});

const first = page([item('a')], 'next');
const sequences: readonly (readonly [name: string, replies: readonly Reply[], expected: unknown])[] = [
  ['no objects', [page([])], []],
  ['a list of none as Go writes it', [{ json: { metadata: {}, items: null } }], []],
  ['too old on the second page: from the start', [first, status(410, 'Expired'), page([item('b')])], ['b']],
  [
    'too old twice',
    [first, status(410, 'Expired'), first, status(410, 'Expired'), page([item('b')])],
    'expired',
  ],
  ['too old at once', [status(410, 'Expired')], 'expired'],
  ['the second page fails', [first, status(500, 'InternalError')], 'server-error'],
  ['the second page is cut off', [first, { json: { items: [item('b')] }, cut: true }], 'unreachable'],
  ['the second page is garbage', [first, { text: 'oops' }], 'bad-answer'],
  ['the second page is no list', [first, { json: { kind: 'Status' } }], 'bad-answer'],
  ['an item is no object', [page([7])], 'bad-answer'],
  ['the same page again and again', [first], 'bad-answer'],
  ['busy, then well', [status(429, 'TooManyRequests'), page([item('a')])], ['a']],
  ['stopping, then well', [first, status(503, 'ServiceUnavailable'), page([item('b')])], ['a', 'b']],
  ['busy for ever', [status(429, 'TooManyRequests')], 'too-many-requests'],
];

t.test('what can happen on the way', async (t) => {
  for (const [name, replies, expected] of sequences)
    await t.test(name, async (t) => {
      const { api } = await fakeApi(t, inTurn(replies));
      const outcome = await codeOf(readObjects(api, REQUEST, THING, new FakeClock().pass()));
      if (typeof expected === 'string') return void t.equal(outcome, expected);
      t.same(names((outcome as { objects: JsonObject[] }).objects), expected);
    });
});

const waits: readonly (readonly [
  name: string,
  busy: number,
  retryAfter: string | undefined,
  deadlineMs: number,
  sleeps: readonly number[],
  ok: boolean,
])[] = [
  ['as long as it asks', 2, '3', 60_000, [3000, 3000], true],
  ['longer each time where it does not say', 3, undefined, 60_000, [1000, 2000, 4000], true],
  ['five times, then no more', 9, '1', 60_000, [1000, 1000, 1000, 1000, 1000], false],
  ['not at all where the deadline comes first', 1, '3', 3000, [], false],
  ['where there is time left after it', 1, '3', 8000, [3000], true],
];

t.test('a busy server is left alone', async (t) => {
  for (const [name, busy, retryAfter, deadlineMs, sleeps, ok] of waits)
    await t.test(name, async (t) => {
      const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
      const { api, seen } = await fakeApi(
        t,
        inTurn([...Array(busy).fill(status(429, 'TooManyRequests', headers)), page([])]),
      );
      const clock = new FakeClock();
      const outcome = await codeOf(readObjects(api, REQUEST, THING, clock.pass(deadlineMs)));
      t.same(outcome, ok ? { objects: [] } : 'too-many-requests');
      t.same(clock.sleeps, sleeps);
      t.equal(seen.length, sleeps.length + 1);
    });
});

t.test('the deadline holds for the whole list, not for each page', async (t) => {
  const clock = new FakeClock();
  let count = 0;
  const { api } = await fakeApi(t, () => {
    clock.advance(1000);
    return page([], `page ${count++}`);
  });
  t.equal(await codeOf(readObjects(api, REQUEST, THING, clock.pass(3500))), 'timed-out');
  t.equal(count, 4);
});

t.test('who gives up is not kept waiting', async (t) => {
  const controller = new AbortController();
  const { api } = await fakeApi(t, () => {
    controller.abort();
    return page([], 'more');
  });
  const pass = new FakeClock().pass(60_000, controller.signal);
  t.equal(await codeOf(readObjects(api, REQUEST, THING, pass)), 'stopped');
});

t.test('a page of objects', async (t) => {
  t.same(itemsOf({ items: [{ a: 1 }] }, '/x'), [{ a: 1 }]);
  for (const items of [undefined, {}, 'x', 7, [null], [[]]])
    t.throws(() => itemsOf({ items }, '/x'), { code: 'bad-answer' }, JSON.stringify(items));
});
