import t from 'tap';
import { KubeError } from '../../../src/kube/failures.ts';
import { type Delay, delayAfter, type PollEvent, startPolling } from '../../../src/kube/poll.ts';
import { FakeClock } from './fake-api.ts';

const CALM: Delay = { intervalMs: 60_000, failures: 0, hasRead: true, retryAfterMs: null, jitter: 0.5 };

const delays: readonly (readonly [name: string, change: Partial<Delay>, ms: number])[] = [
  ['well', {}, 60_000],
  ['well, least jitter', { jitter: 0 }, 54_000],
  ['well, most jitter', { jitter: 1 }, 66_000],
  ['failed once', { failures: 1 }, 60_000],
  ['failed twice', { failures: 2 }, 120_000],
  ['failed four times', { failures: 4 }, 480_000],
  ['failed for ever', { failures: 5000 }, 480_000],
  ['never read, failed once', { hasRead: false, failures: 1 }, 1000],
  ['never read, failed four times', { hasRead: false, failures: 4 }, 8000],
  ['never read, failed for ever', { hasRead: false, failures: 5000 }, 60_000],
  ['the server asks for longer', { failures: 1, retryAfterMs: 90_000 }, 90_000],
  ['the server asks for less', { failures: 1, retryAfterMs: 1000 }, 60_000],
];

t.test('how long until the next pass', async (t) => {
  for (const [name, change, ms] of delays) t.equal(delayAfter({ ...CALM, ...change }), ms, name);
});

/** Runs the passes given, then stops. */
async function runAll(passes: readonly (() => void)[], observe?: (event: PollEvent<'x'>) => void) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const left = [...passes];
  const events: PollEvent<'x'>[] = [];
  const begun = clock.now();
  const poll = startPolling({
    name: 'x',
    intervalMs: () => 60_000,
    deadlineMs: 48_000,
    jitter: () => 0.5,
    clock,
    signal: controller.signal,
    run: async ({ deadline }) => {
      const next = left.shift();
      if (next === undefined) return controller.abort();
      if (deadline !== clock.now() + 48_000) throw new Error('another deadline');
      clock.advance(500);
      next();
    },
    observe: (event) => {
      events.push(event);
      observe?.(event);
    },
  });
  const early = { readAt: poll.readAt(), error: poll.error() };
  await poll.ended;
  return { poll, events, clock, begun, early };
}

const well = () => {};
const fails = (error: unknown) => () => {
  throw error;
};
const busy = new KubeError('too-many-requests', { retryAfterMs: 300_000 });

t.test('passes go on, whatever they throw', async (t) => {
  const bug = new TypeError('x is not a function');
  const { events, clock } = await runAll([well, fails(bug), fails(busy), fails('a text'), well, well]);
  t.same(
    events.map(({ what, ms, error }) => [what, ms, error === null ? null : error.constructor.name]),
    [
      ['x', 500, null],
      ['x', 500, 'TypeError'],
      ['x', 500, 'KubeError'],
      ['x', 500, 'Error'],
      ['x', 500, null],
      ['x', 500, null],
    ],
  );
  t.same(clock.sleeps, [60_000, 60_000, 300_000, 240_000, 60_000, 60_000]);
});

t.test('until something was read it is tried again soon', async (t) => {
  const { clock, poll } = await runAll([fails(new Error('a')), fails(new Error('b')), well, fails(busy)]);
  t.same(clock.sleeps, [1000, 2000, 60_000, 300_000]);
  t.ok(poll.readAt());
});

t.test('the age counts from when the last good pass began', async (t) => {
  const { poll, begun, early } = await runAll([well, fails(busy)]);
  t.same(early, { readAt: null, error: null });
  // The pass that stops the loop went well, after both sleeps and passes.
  t.equal(poll.readAt(), begun + 2 * 500 + 60_000 + 300_000);
});

t.test('an observer that throws ends nothing', async (t) => {
  const { events } = await runAll([well, well, well], () => {
    throw new Error('observer');
  });
  t.equal(events.length, 3);
});
