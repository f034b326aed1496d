import t from 'tap';
import { ByteView, OutOfBoundsError } from '../../../src/bytes/view.ts';
import { readXzIndex, readXzInteger, xzCheckLength } from '../../../src/image/xz-format.ts';
import { patched } from '../../fixtures/image/file.ts';
import { storedLzma2, xzInteger, xzStream } from '../../fixtures/image/xz.ts';

t.test('integers', async (t) => {
  for (const value of [0n, 1n, 127n, 128n, 16_383n, 16_384n, (1n << 63n) - 1n]) {
    const bytes = xzInteger(value);
    t.same(readXzInteger(new ByteView(Buffer.concat([Uint8Array.of(9), bytes])), 1), {
      value,
      end: 1 + bytes.length,
    });
  }
});

t.test('what is no integer', async (t) => {
  t.equal(readXzInteger(new ByteView(Uint8Array.of(0x80, 0)), 0), null, 'longer than need be');
  t.equal(readXzInteger(new ByteView(new Uint8Array(12).fill(0xff)), 0), null, 'longer than 9 bytes');
  t.throws(() => readXzInteger(new ByteView(Uint8Array.of(0x80)), 0), OutOfBoundsError);
});

t.test('lengths of checks', async (t) => {
  t.same(
    [0, 1, 4, 10, 15].map(xzCheckLength),
    [0, 4, 8, 32, 64],
    'none, CRC32, CRC64, SHA-256, the last that is reserved',
  );
});

/** An empty stream is its header, its index and its footer. */
function indexOf(records: readonly (readonly [bigint, bigint])[]): Uint8Array {
  const stream = xzStream([], { records });
  return stream.subarray(12, -12);
}

t.test('an index adds up', async (t) => {
  const bytes = indexOf([
    [101n, 1000n],
    [104n, 5n << 30n],
  ]);
  t.same(readXzIndex(new ByteView(bytes), 0), {
    packedLength: 208n,
    size: 1000n + (5n << 30n),
    length: bytes.length,
  });
  t.equal(readXzIndex(new ByteView(indexOf([])), 0)!.size, 0n);
});

t.test('what is no index', async (t) => {
  const bytes = indexOf([[101n, 1000n]]);
  t.equal(readXzIndex(new ByteView(patched(bytes, (file) => file.u8(0, 1))), 0), null, 'indicator');
  t.equal(readXzIndex(new ByteView(patched(bytes, (file) => file.u8(2, 100))), 0), null, 'CRC');
  t.equal(readXzIndex(new ByteView(patched(bytes, (file) => file.u8(5, 1))), 0), null, 'padding or CRC');
  t.throws(() => readXzIndex(new ByteView(bytes.subarray(0, -1)), 0), OutOfBoundsError);
});

t.test('a forged count ends where the bytes do', async (t) => {
  const forged = Buffer.concat([Uint8Array.of(0), xzInteger((1n << 63n) - 1n), new Uint8Array(50).fill(1)]);
  t.throws(() => readXzIndex(new ByteView(forged), 0), OutOfBoundsError);
});

t.test('the index of a real block', async (t) => {
  const content = new Uint8Array(1000);
  const stream = xzStream([{ lzma2: storedLzma2(content), content }]);
  const backward =
    (new DataView(stream.buffer, stream.byteOffset).getUint32(stream.length - 8, true) + 1) * 4;
  t.equal(readXzIndex(new ByteView(stream), stream.length - 12 - backward)!.size, 1000n);
});
