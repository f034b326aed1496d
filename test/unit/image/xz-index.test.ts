import t from 'tap';
import { XZ_INDEX_LIMITS, xzContentSize } from '../../../src/image/xz-index.ts';
import { patched } from '../../fixtures/image/file.ts';
import { noise } from '../../fixtures/image/noise.ts';
import { runReading } from '../../fixtures/image/run.ts';
import { storedLzma2, xzFile, xzStream } from '../../fixtures/image/xz.ts';
import { XZ_CONTENT, XZ_FILES } from '../../fixtures/image/xz-files.ts';

const size = (bytes: Uint8Array) => runReading(xzContentSize(BigInt(bytes.length)), bytes);
const block = (content: Uint8Array) => ({ lzma2: storedLzma2(content), content });

const exact: readonly (readonly [name: string, bytes: Uint8Array, expected: bigint])[] = [
  ['one block', xzFile(noise(1000)), 1000n],
  ['no block', xzStream([]), 0n],
  ['several blocks', xzStream([block(noise(1000)), block(noise(70_000)), block(noise(1))]), 71_001n],
  ['several streams', Buffer.concat([xzFile(noise(1000)), xzFile(noise(30_000))]), 31_000n],
  ['padding behind', Buffer.concat([xzFile(noise(1000)), new Uint8Array(8)]), 1000n],
  ['padding between', Buffer.concat([xzFile(noise(10)), new Uint8Array(4), xzFile(noise(7))]), 17n],
  ...Object.entries(XZ_FILES).map(
    ([name, bytes]) => [name, bytes, BigInt(XZ_CONTENT.length)] as [string, Uint8Array, bigint],
  ),
];
for (const [name, bytes, expected] of exact)
  t.test(name, async (t) => t.same(size(bytes).value, { kind: 'exact', bytes: expected }));

t.test('one request for the end of a file', async (t) => {
  const bytes = xzFile(noise(100_000));
  t.same(size(bytes).requests, [
    { offset: BigInt(bytes.length - XZ_INDEX_LIMITS.tailLength), length: XZ_INDEX_LIMITS.tailLength },
  ]);
});

const SOUND = xzFile(noise(1000));
const broken: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ['other bytes behind', Buffer.concat([SOUND, Buffer.from('junk')])],
  ['cut short', SOUND.subarray(0, -20)],
  ['footer’s CRC', patched(SOUND, (file) => file.u8(SOUND.length - 12, 0))],
  ['index’s CRC', patched(SOUND, (file) => file.u8(SOUND.length - 13, SOUND[SOUND.length - 13]! ^ 1))],
  ['blocks longer than the file', xzStream([block(noise(10))], { records: [[1n << 40n, 10n]] })],
];
for (const [name, bytes] of broken)
  t.test(`broken: ${name}`, async (t) => t.equal(size(bytes).value.kind, 'broken'));

t.test('a bomb of an index is not read', async (t) => {
  const records = Array.from({ length: 100_000 }, () => [100n, 1n << 62n] as const);
  const { value, requests } = size(Buffer.concat([new Uint8Array(100), xzStream([], { records })]));
  t.same(value, { kind: 'unknown' });
  t.equal(requests.length, 1);
});

t.test('more streams than the limit: at least the last of them', async (t) => {
  const stream = xzFile(noise(10));
  const bytes = Buffer.concat(Array.from({ length: XZ_INDEX_LIMITS.maxStreams + 1 }, () => stream));
  t.same(size(bytes).value, { kind: 'at-least', bytes: BigInt(XZ_INDEX_LIMITS.maxStreams) * 10n });
});

t.test('reads end, however much padding there is', async (t) => {
  const { value, requests } = size(Buffer.concat([SOUND, new Uint8Array(1 << 20)]));
  t.same(value, { kind: 'unknown' });
  t.equal(requests.length, XZ_INDEX_LIMITS.maxReads);
});
