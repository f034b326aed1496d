import t from 'tap';
import { Limiter } from '../../../src/evaluate/limiter.ts';

const NEVER = new AbortController().signal;

/** A task that waits to be told to end. */
function heldTask() {
  let end = (_value: string) => {};
  let fail = (_error: Error) => {};
  const held = new Promise<string>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const state = { hasStarted: false };
  const task = () => {
    state.hasStarted = true;
    return held;
  };
  return { task, end, fail, state };
}

/** Lets everything that is ready to go on do so. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function start(limiter: Limiter, key: string, signal = NEVER) {
  const { task, end, fail, state } = heldTask();
  return { result: limiter.run(key, signal, task), end, fail, state };
}

t.test('the result of the task, and its error', async (t) => {
  const limiter = new Limiter({ all: 1, perKey: 1, queue: 0 });
  t.equal(await limiter.run('a', NEVER, async () => 'done'), 'done');
  await t.rejects(
    limiter.run('a', NEVER, async () => {
      throw new Error('failed');
    }),
    { message: 'failed' },
  );
  await t.rejects(
    limiter.run('a', NEVER, () => {
      throw new Error('failed at once');
    }),
    { message: 'failed at once' },
  );
  t.equal(await limiter.run('a', NEVER, async () => 'again'), 'again', 'and its place is free again');
});

t.test('as many of one key as are allowed, and of others beside them', async (t) => {
  const limiter = new Limiter({ all: 10, perKey: 2, queue: 10 });
  const [a1, a2, a3, b1] = ['a', 'a', 'a', 'b'].map((key) => start(limiter, key));
  await settle();
  t.same(
    [a1, a2, a3, b1].map((one) => one!.state.hasStarted),
    [true, true, false, true],
  );
  b1!.end('b1');
  await b1!.result;
  await settle();
  t.equal(a3!.state.hasStarted, false, 'a place of another key is of no use to it');
  a1!.end('a1');
  t.equal(await a1!.result, 'a1');
  await settle();
  t.equal(a3!.state.hasStarted, true);
});

t.test('as many of all as are allowed, first come first served', async (t) => {
  const limiter = new Limiter({ all: 2, perKey: 2, queue: 10 });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((key) => start(limiter, key));
  await settle();
  t.same(
    [a, b, c, d].map((one) => one!.state.hasStarted),
    [true, true, false, false],
  );
  b!.end('b');
  await b!.result;
  await settle();
  t.same([c!.state.hasStarted, d!.state.hasStarted], [true, false]);
});

t.test('who waits for a full key does not hold up those behind', async (t) => {
  const limiter = new Limiter({ all: 2, perKey: 1, queue: 10 });
  const [a1, b1, a2, c1] = ['a', 'b', 'a', 'c'].map((key) => start(limiter, key));
  b1!.end('b1');
  await b1!.result;
  await settle();
  t.same([a2!.state.hasStarted, c1!.state.hasStarted], [false, true]);
  a1!.end('a1');
  await a1!.result;
  await settle();
  t.equal(a2!.state.hasStarted, true);
});

t.test('the queue has an end', async (t) => {
  const limiter = new Limiter({ all: 1, perKey: 1, queue: 1 });
  const first = start(limiter, 'a');
  const second = start(limiter, 'a');
  const third = start(limiter, 'a');
  t.equal(await third.result, 'busy');
  first.end('first');
  t.equal(await first.result, 'first');
  second.end('second');
  t.equal(await second.result, 'second');
});

t.test('without a queue nobody waits', async (t) => {
  const limiter = new Limiter({ all: 1, perKey: 1, queue: 0 });
  const first = start(limiter, 'a');
  t.equal(await start(limiter, 'b').result, 'busy');
  first.end('first');
  await first.result;
  t.equal(await limiter.run('b', NEVER, async () => 'free'), 'free');
});

t.test('a signal that has ended takes no place', async (t) => {
  const limiter = new Limiter({ all: 1, perKey: 1, queue: 1 });
  const late = start(limiter, 'a', AbortSignal.abort());
  t.equal(await late.result, 'busy');
  t.equal(late.state.hasStarted, false);
  t.equal(await limiter.run('a', NEVER, async () => 'free'), 'free');
});

t.test('who gives up in the queue leaves it to others', async (t) => {
  const limiter = new Limiter({ all: 1, perKey: 1, queue: 1 });
  const first = start(limiter, 'a');
  const deadline = new AbortController();
  const second = start(limiter, 'a', deadline.signal);
  deadline.abort();
  t.equal(await second.result, 'busy');
  t.equal(second.state.hasStarted, false);
  const third = start(limiter, 'a');
  first.end('first');
  await first.result;
  await settle();
  t.equal(third.state.hasStarted, true, 'the place in the queue was free again');
  third.end('third');
  t.equal(await third.result, 'third');
  t.equal(await limiter.run('a', NEVER, async () => 'free'), 'free', 'and so is the place at work');
});

t.test('a signal that ends while the task runs is the task’s own matter', async (t) => {
  const limiter = new Limiter({ all: 1, perKey: 1, queue: 1 });
  const deadline = new AbortController();
  const first = start(limiter, 'a');
  const second = start(limiter, 'a', deadline.signal);
  first.end('first');
  await first.result;
  await settle();
  t.equal(second.state.hasStarted, true);
  const third = start(limiter, 'a');
  deadline.abort();
  await settle();
  t.equal(third.state.hasStarted, false, 'its place is still taken');
  second.end('second');
  t.equal(await second.result, 'second');
  third.end('third');
  t.equal(await third.result, 'third');
});

t.test('a task that fails makes room', async (t) => {
  const limiter = new Limiter({ all: 1, perKey: 1, queue: 1 });
  const first = start(limiter, 'a');
  const second = start(limiter, 'b');
  first.fail(new Error('failed'));
  await t.rejects(first.result, { message: 'failed' });
  second.end('second');
  t.equal(await second.result, 'second');
});
