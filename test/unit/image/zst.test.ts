import { constants, zstdCompressSync } from 'node:zlib';
import t from 'tap';
import { WRAPPER_LIMITS } from '../../../src/image/wrapper.ts';
import { ZST } from '../../../src/image/zst.ts';
import { FileBytes, patched } from '../../fixtures/image/file.ts';
import { noise, prose } from '../../fixtures/image/noise.ts';
import { runReading } from '../../fixtures/image/run.ts';

const CONTENT = Buffer.concat([prose(200_000), noise(1000)]);
const FILE = zstdCompressSync(CONTENT, {
  params: { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_contentSizeFlag]: 0 },
});
/** Like what `zstd FILE` writes, with the content's size; FILE is like what it writes of a pipe. */
const SIZED = zstdCompressSync(CONTENT);
const WANTED = 65_536;

function unpacked(input: Uint8Array, complete: boolean, wanted = WANTED) {
  const result = ZST.decompress(input, complete, wanted);
  if (result.kind === 'broken') throw new Error(result.detail);
  return result;
}

function frame(windowByte: number, ...blocks: number[]): Uint8Array {
  return Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0, windowByte, ...blocks]);
}
/** A block of 128 KiB of one byte, in 4. */
const RUN = [0x02, 0x00, 0x10, 0x41];
const LAST_RUN = [0x03, 0x00, 0x10, 0x41];

for (const [name, file] of [
  ['checksum', FILE],
  ['content size', SIZED],
] as const)
  t.test(`a whole file with a ${name}`, async (t) => {
    const { bytes, ended } = unpacked(file, true, WRAPPER_LIMITS.maxOutput);
    t.same(Buffer.from(bytes), CONTENT);
    t.ok(ended);
  });

t.test('several frames, skippable ones between', async (t) => {
  const skippable = new FileBytes(12).u32le(0, 0x184d2a53).u32le(4, 4).bytes;
  const file = Buffer.concat([FILE, skippable, SIZED]);
  const { bytes, ended } = unpacked(file, true, WRAPPER_LIMITS.maxOutput);
  t.same(Buffer.from(bytes), Buffer.concat([CONTENT, CONTENT]));
  t.ok(ended);
});

t.test('the input stays as it is', async (t) => {
  const input = Buffer.from(FILE);
  unpacked(input.subarray(0, 40_000), false);
  t.ok(input.equals(FILE));
});

t.test('the beginning of a file, wherever it is cut', async (t) => {
  const two = Buffer.concat([SIZED, FILE]);
  const all = Buffer.concat([CONTENT, CONTENT]);
  for (let cut = 4; cut < two.length; cut += 1013) {
    const { bytes, ended } = unpacked(two.subarray(0, cut), false, WRAPPER_LIMITS.maxOutput);
    t.same(Buffer.from(bytes), all.subarray(0, bytes.length), `${cut}`);
    t.equal(ended, false);
  }
});

t.test('a bomb is not decompressed past the limit', async (t) => {
  const bomb = Uint8Array.from([...frame(0x50), ...Array(1000).fill(RUN).flat(), ...LAST_RUN]);
  const { bytes, ended } = unpacked(bomb, true, WRAPPER_LIMITS.maxOutput);
  t.equal(bytes.length, WRAPPER_LIMITS.maxOutput);
  t.equal(ended, false);
});

t.test('a frame behind as much as the limit allows', async (t) => {
  const full = frame(0x50, ...Array(7).fill(RUN).flat(), ...LAST_RUN);
  const { bytes, ended } = unpacked(Buffer.concat([full, FILE]), true, WRAPPER_LIMITS.maxOutput + 1);
  t.equal(bytes.length, WRAPPER_LIMITS.maxOutput);
  t.equal(ended, false);
});

t.test('frames past what is wanted are not decoded', async (t) => {
  t.equal(unpacked(Buffer.concat([FILE, FILE]), true, 1000).bytes.length <= CONTENT.length, true);
});

t.test('many little frames: the first of them', async (t) => {
  const little = frame(0, 0x09, 0, 0, 0x41);
  const { bytes, ended } = unpacked(Buffer.concat(Array(1000).fill(little)), true);
  t.equal(bytes.length, 64);
  t.equal(ended, false);
});

t.test('a window of 512 MiB is fine and costs nothing; over it is CDI’s limit', async (t) => {
  t.equal(unpacked(frame(19 << 3, ...LAST_RUN), true).bytes.length, 131_072);
  t.equal(ZST.decompress(frame((19 << 3) | 1, ...LAST_RUN), true, WANTED).kind, 'broken');
});

t.test('a single segment forged to 2^63 bytes costs nothing', async (t) => {
  const forged = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x80, ...LAST_RUN]);
  t.equal(unpacked(forged, true).bytes.length, 131_072);
});

const broken: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ['cut short', SIZED.subarray(0, -10)],
  ['cut in its checksum', FILE.subarray(0, -1)],
  ['other bytes behind', Buffer.concat([FILE, Buffer.from('junk')])],
  ['few bytes behind', Buffer.concat([FILE, Buffer.from('j')])],
  ['reserved bit', patched(FILE, (file) => file.u8(4, FILE[4]! | 8))],
  ['reserved block type', frame(0x50, 0x07, 0, 0)],
  ['a dictionary', Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 1, 0x50, 7, ...LAST_RUN])],
  ['data', patched(SIZED, (file) => file.put(20, noise(50)))],
];
for (const [name, bytes] of broken)
  t.test(`broken: ${name}`, async (t) => t.equal(ZST.decompress(bytes, true, WANTED).kind, 'broken'));

t.test('the size of the content', async (t) => {
  const size = (bytes: Uint8Array, storedSize: bigint | null) =>
    runReading(ZST.contentSize(bytes, { storedSize, map: false }), bytes).value;
  t.same(size(FILE, 5000n), { kind: 'unknown' }, 'without one in the header');
  t.same(size(SIZED, 5000n), { kind: 'exact', bytes: 201_000n });
  t.same(size(SIZED, null), { kind: 'at-least', bytes: 201_000n }, 'in a file of unknown length');
  const longest = 201_000n + 201_000n / 256n + 1024n;
  t.same(size(SIZED, longest), { kind: 'exact', bytes: 201_000n }, 'in a file as long as one frame may be');
  t.same(size(SIZED, longest + 1n), { kind: 'at-least', bytes: 201_000n }, 'in a file of more than a frame');
});
