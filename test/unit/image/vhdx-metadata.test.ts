import t from 'tap';
import { OutOfBoundsError } from '../../../src/bytes/view.ts';
import { readVhdxMetadata } from '../../../src/image/vhdx-metadata.ts';
import { type FileBytes, patched } from '../../fixtures/image/file.ts';
import { runReading } from '../../fixtures/image/run.ts';
import { type VhdxRecipe, vhdxImage } from '../../fixtures/image/vhdx.ts';

const AT = 327_680;
const read = (bytes: Uint8Array) => runReading(readVhdxMetadata(BigInt(AT)), bytes).value;

const recipes: readonly (readonly [name: string, recipe: VhdxRecipe, size: bigint | string])[] = [
  ['one sector', { virtualSize: 512n }, 512n],
  ['64 TiB', { virtualSize: 64n << 40n }, 64n << 40n],
  ['a rest of a sector is dropped', { virtualSize: 1535n }, 1024n],
  ['no bytes', { virtualSize: 0n }, 'corrupt-header'],
  ['past any file', { virtualSize: 1n << 63n }, 'corrupt-header'],
  ['blocks of 1 MiB', { virtualSize: 512n, blockSize: 1 << 20 }, 512n],
  ['blocks of 256 MiB', { virtualSize: 512n, blockSize: 256 << 20 }, 512n],
  ['blocks of 512 KiB', { virtualSize: 512n, blockSize: 1 << 19 }, 'corrupt-header'],
  ['blocks of 512 MiB', { virtualSize: 512n, blockSize: 1 << 29 }, 'corrupt-header'],
  ['blocks of no power of two', { virtualSize: 512n, blockSize: 3 << 20 }, 'corrupt-header'],
  ['sectors of 4096', { virtualSize: 1n << 20n, sectorSize: 4096 }, 'unsupported-feature'],
  ['with a parent', { virtualSize: 512n, hasParent: true }, 'differencing'],
];
for (const [name, recipe, size] of recipes)
  t.test(name, async (t) => {
    const metadata = read(vhdxImage(recipe));
    t.equal(metadata.kind === 'metadata' ? metadata.virtualSize : metadata.code, size);
  });

const SOUND = vhdxImage({ virtualSize: 1n << 30n });
const broken: readonly (readonly [name: string, patch: (file: FileBytes) => unknown])[] = [
  ['signature', (file) => file.u8(AT, 0)],
  ['65535 items', (file) => file.u16le(AT + 10, 65_535)],
  ['no items', (file) => file.u16le(AT + 10, 0)],
  ['an item of another kind in place of the last', (file) => file.u8(AT + 32 + 4 * 32, 0)],
];
for (const [name, patch] of broken)
  t.test(name, async (t) => {
    const metadata = read(patched(SOUND, patch));
    t.equal(metadata.kind === 'broken' && metadata.code, 'corrupt-header');
  });

t.test('an item past what is read is out of bounds', async (t) => {
  const far = patched(SOUND, (file) => file.u32le(AT + 32 + 32 + 16, 0xfffffff0));
  t.throws(() => read(far), OutOfBoundsError);
});

t.test('a region that is not all there', async (t) => {
  const metadata = read(SOUND.subarray(0, AT + 65_535));
  t.equal(metadata.kind === 'broken' && metadata.code, 'truncated');
});
