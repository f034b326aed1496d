import t from 'tap';
import { ByteView, OutOfBoundsError } from '../../../src/bytes/view.ts';
import { isSkippableFrame, readZstBlock, readZstFrameHeader } from '../../../src/image/zst-frame.ts';

/** A header behind the magic, which is not looked at again. */
const header = (...bytes: number[]) =>
  readZstFrameHeader(new ByteView(Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, ...bytes])), 0);

t.test('window sizes', async (t) => {
  const rows: [byte: number, size: bigint][] = [
    [0x00, 1024n],
    [0x01, 1152n],
    [0x50, 1n << 20n],
    [19 << 3, 1n << 29n],
    [(19 << 3) | 1, (1n << 29n) + (1n << 26n)],
    [0xff, (1n << 41n) + (1n << 38n) * 7n],
  ];
  for (const [byte, size] of rows) t.equal(header(0, byte).windowSize, size, `${byte}`);
});

t.test('content sizes', async (t) => {
  t.equal(header(0x00, 0).contentSize, null, 'none');
  t.same(header(0x20, 200), {
    windowSize: null,
    contentSize: 200n,
    dictionaryId: 0,
    hasChecksum: false,
    hasReservedBit: false,
    length: 6,
  });
  t.equal(header(0x40, 0, 1, 1).contentSize, 257n + 256n, '2 bytes count from 256');
  t.equal(header(0x80, 0, 0, 0, 0, 0x80).contentSize, 1n << 31n, '4 bytes');
  t.equal(header(0xc0, 0, 0, 0, 0, 0, 2, 0, 0, 0).contentSize, 1n << 33n, '8 bytes');
});

t.test('the other bits', async (t) => {
  t.equal(header(0x04, 0).hasChecksum, true);
  t.equal(header(0x08, 0).hasReservedBit, true);
  t.equal(header(0x01, 0, 7).dictionaryId, 7);
  t.equal(header(0x02, 0, 1, 1).dictionaryId, 257);
  t.equal(header(0x03, 0, 0, 0, 0, 1).dictionaryId, 1 << 24);
  t.equal(header(0x03, 0, 0, 0, 0, 1).length, 10);
});

t.test('a header that ends early', async (t) => {
  t.throws(() => header(), OutOfBoundsError);
  t.throws(() => header(0xc0, 0, 0, 0, 0, 0, 2, 0, 0), OutOfBoundsError);
});

t.test('skippable frames', async (t) => {
  const at = (byte: number) => isSkippableFrame(new ByteView(Uint8Array.of(byte, 0x2a, 0x4d, 0x18)), 0);
  t.same([0x4f, 0x50, 0x5f, 0x60].map(at), [false, true, true, false]);
});

t.test('blocks', async (t) => {
  const block = (first: number, second: number, third: number) =>
    readZstBlock(new ByteView(Uint8Array.from([first, second, third, ...new Uint8Array(200)])), 0);
  t.same(block(0x21, 0, 0), { isLast: true, length: 7 }, 'raw, 4 bytes, last');
  t.same(block(0x02, 0, 0x10), { isLast: false, length: 4 }, 'one byte repeated 128 KiB times');
  t.same(block(0x24, 0, 0), { isLast: false, length: 7 }, 'compressed');
  t.equal(block(0x26, 0, 0), null, 'reserved type');
  t.equal(block(0x0a, 0, 0x10), null, 'over 128 KiB');
  t.throws(() => block(0x00, 0x80, 0), OutOfBoundsError, 'cut short');
});
