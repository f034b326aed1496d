import t from 'tap';
import type { DefectCode } from '../../../src/image/image.ts';
import { readImage } from '../../../src/image/read.ts';
import { type FileBytes, patched } from '../../fixtures/image/file.ts';
import { runReading } from '../../fixtures/image/run.ts';
import { signFooter, type VpcRecipe, vpcImage } from '../../fixtures/image/vpc.ts';

const MIB = 1n << 20n;

function probe(bytes: Uint8Array, map = false) {
  return runReading(readImage({ storedSize: BigInt(bytes.length), map }), bytes).value;
}

/** 63 cylinders, 16 heads, 65 sectors: 33,546,240 bytes. */
const GEOMETRY = [63, 16, 65] as const;

const creators: readonly (readonly [creator: string, counts: 'current size' | 'geometry'])[] = [
  ['win ', 'current size'],
  ['qem2', 'current size'],
  ['d2v ', 'current size'],
  ['CTXS', 'current size'],
  ['tap\0', 'current size'],
  ['vpc ', 'geometry'],
  ['qemu', 'geometry'],
  ['vbox', 'geometry'],
  ['wa  ', 'geometry'],
  ['vs  ', 'geometry'],
];
for (const [creator, counts] of creators)
  t.test(`of creator ${JSON.stringify(creator)} the ${counts} counts`, async (t) => {
    const facts = probe(vpcImage({ creator, currentSize: 32n * MIB, geometry: GEOMETRY }));
    t.equal(facts.virtualSize, counts === 'geometry' ? 33_546_240n : 32n * MIB);
    t.same(facts.defects, []);
  });

t.test('of the largest geometry the current size counts', async (t) => {
  const recipe: VpcRecipe = { creator: 'vpc ', currentSize: 200n << 30n, geometry: [65_535, 16, 255] };
  t.equal(probe(vpcImage(recipe)).virtualSize, 200n << 30n);
});

const SOUND = vpcImage({ currentSize: 8n * MIB, allocated: [0, 3] });
const rows: readonly (readonly [
  name: string,
  patch: (file: FileBytes) => unknown,
  defect: DefectCode | null,
])[] = [
  ['as it is', () => {}, null],
  ['differencing', (file) => signFooter(file.u32be(60, 4)), 'differencing'],
  ['wrong checksum', (file) => file.u8(70, 1), 'corrupt-header'],
  ['2040 GiB and a sector', (file) => signFooter(file.u64be(48, (2040n << 30n) + 512n)), 'corrupt-header'],
  ['no dynamic header', (file) => file.u8(512, 0), 'corrupt-header'],
  ['dynamic header past the end', (file) => signFooter(file.u64be(16, 1n << 60n)), 'corrupt-header'],
  ['blocks of 256', (file) => file.u32be(544, 256), 'corrupt-header'],
  ['blocks of no power of two', (file) => file.u32be(544, (2 << 20) + 512), 'corrupt-header'],
  ['a block too few', (file) => file.u32be(540, 3), 'corrupt-header'],
  ['2^32 - 1 blocks', (file) => file.u32be(540, 0xffffffff), 'corrupt-header'],
  ['block table past the end', (file) => file.u64be(528, 1n << 20n), 'corrupt-header'],
];
for (const [name, patch, defect] of rows)
  t.test(name, async (t) => {
    const { format, defects } = probe(patched(SOUND, patch));
    t.equal(format, 'vpc');
    t.same(
      defects.map(({ code }) => code),
      defect === null ? [] : [defect],
    );
  });

t.test('A is that of the blocks with data, up to the end of the disk', async (t) => {
  t.equal(probe(SOUND).allocatedSize, null, 'unasked');
  t.equal(probe(SOUND, true).allocatedSize, 4n * MIB);
  t.equal(probe(vpcImage({ currentSize: 6n * MIB + 512n, allocated: [3] }), true).allocatedSize, 512n);
});

t.test('a fixed VHD is raw, footer included', async (t) => {
  const fixed = new Uint8Array(2048);
  fixed.set(SOUND.subarray(0, 512), 1536);
  const facts = probe(fixed);
  t.equal(facts.format, 'raw');
  t.equal(facts.virtualSize, 2048n);
  t.same(facts.defects, []);
});
