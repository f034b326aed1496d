import t from 'tap';
import type { DefectCode } from '../../../src/image/image.ts';
import { readImage } from '../../../src/image/read.ts';
import { type FileBytes, patched } from '../../fixtures/image/file.ts';
import { runReading } from '../../fixtures/image/run.ts';
import { vdiImage } from '../../fixtures/image/vdi.ts';

const MIB = 1n << 20n;
const SOUND = vdiImage(4n * MIB, [0, 3]);

function probe(bytes: Uint8Array, map = false) {
  return runReading(readImage({ storedSize: BigInt(bytes.length), map }), bytes).value;
}

const rows: readonly (readonly [
  name: string,
  patch: (file: FileBytes) => unknown,
  defect: DefectCode | null,
])[] = [
  ['as it is', () => {}, null],
  ['version 1.0', (file) => file.u32le(0x44, 0x10000), 'unsupported-feature'],
  ['static', (file) => file.u32le(0x4c, 2), null],
  ['differencing', (file) => file.u32le(0x4c, 4), 'differencing'],
  ['linked to another', (file) => file.u8(0x1a8, 1), 'differencing'],
  ['with a parent', (file) => file.u8(0x1b8 + 15, 1), 'differencing'],
  ['block map askew', (file) => file.u32le(0x154, 1025), 'corrupt-header'],
  ['data askew', (file) => file.u32le(0x158, 513), 'corrupt-header'],
  ['sectors of 4096', (file) => file.u32le(0x168, 4096), 'corrupt-header'],
  ['blocks of 2 MiB', (file) => file.u32le(0x178, 2 << 20), 'corrupt-header'],
  ['a block too few', (file) => file.u32le(0x180, 3), 'corrupt-header'],
  ['2^32 - 1 blocks', (file) => file.u32le(0x180, 0xffffffff), 'corrupt-header'],
  ['size of 2^64 - 1', (file) => file.u64le(0x170, (1n << 64n) - 1n), 'corrupt-header'],
];
for (const [name, patch, defect] of rows)
  t.test(name, async (t) => {
    const { format, defects } = probe(patched(SOUND, patch));
    t.equal(format, 'vdi');
    t.same(
      defects.map(({ code }) => code),
      defect === null ? [] : [defect],
    );
  });

t.test('V is rounded up to whole sectors', async (t) => {
  t.equal(probe(SOUND).virtualSize, 4n * MIB);
  t.equal(probe(vdiImage(4n * MIB - 1n)).virtualSize, 4n * MIB);
  t.equal(probe(vdiImage(4n * MIB - 513n)).virtualSize, 4n * MIB - 512n);
});

t.test('A is that of the blocks with data, up to the end of the disk', async (t) => {
  t.equal(probe(SOUND).allocatedSize, null, 'unasked');
  t.equal(probe(SOUND, true).allocatedSize, 2n * MIB);
  t.equal(probe(vdiImage(3n * MIB + 512n, [3]), true).allocatedSize, 512n, 'half a block');
  const discarded = patched(SOUND, (file) => file.u32le(1024, 0xfffffffe));
  t.equal(probe(discarded, true).allocatedSize, MIB, 'discarded');
  t.equal(
    probe(
      patched(SOUND, (file) => file.u32le(0x4c, 4)),
      true,
    ).allocatedSize,
    null,
    'differencing',
  );
});

t.test('a block map of more than 4 MiB is not read', async (t) => {
  const huge = patched(SOUND, (file) => file.u32le(0x180, 0x3fffffff).u64le(0x170, 2n << 40n));
  t.equal(probe(huge, true).virtualSize, 2n << 40n);
  t.equal(probe(huge, true).allocatedSize, null);
});
