import t from 'tap';
import { ByteQueue } from '../../../src/source/queue.ts';
import { pattern } from '../../fixtures/source/loopback.ts';

const BYTES = pattern(100);

function queueOf(size: number) {
  const state = { closed: false };
  async function* chunks() {
    try {
      yield new Uint8Array(0);
      for (let at = 0; at < BYTES.length; at += size) yield BYTES.subarray(at, at + size);
    } finally {
      state.closed = true;
    }
  }
  return { queue: new ByteQueue(chunks()), state };
}

t.test('portions of any size out of chunks of any size', async (t) => {
  for (const size of [1, 7, 64, 1000]) {
    const { queue } = queueOf(size);
    t.same(await queue.take(0), Buffer.alloc(0));
    t.same(await queue.take(10), Buffer.from(BYTES.subarray(0, 10)), `chunks of ${size}`);
    t.ok(await queue.skip(20n));
    t.same(await queue.take(60), Buffer.from(BYTES.subarray(30, 90)));
    t.ok(await queue.skip(0n));
    t.same(await queue.take(60), Buffer.from(BYTES.subarray(90)), 'fewer at the end');
    t.same(await queue.take(1), Buffer.alloc(0));
    t.notOk(await queue.skip(1n));
    t.equal(await queue.chunk(), undefined);
  }
});

t.test('a skip that ends with the stream, and one that goes past it', async (t) => {
  t.ok(await queueOf(7).queue.skip(100n));
  t.notOk(await queueOf(7).queue.skip(101n));
  t.notOk(await queueOf(7).queue.skip(1n << 62n));
});

t.test('chunks as they come, after what was taken', async (t) => {
  const { queue, state } = queueOf(7);
  await queue.take(3);
  t.same(await queue.chunk(), BYTES.subarray(3, 7));
  t.same(await queue.chunk(), BYTES.subarray(7, 14));
  t.notOk(state.closed);
  await queue.close();
  t.ok(state.closed);
});
