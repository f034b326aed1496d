import t from 'tap';
import type { DefectCode } from '../../../src/image/image.ts';
import { readImage } from '../../../src/image/read.ts';
import { type FileBytes, patched } from '../../fixtures/image/file.ts';
import { runReading } from '../../fixtures/image/run.ts';
import { signVhdx, VHDX_LAYOUT, vhdxImage } from '../../fixtures/image/vhdx.ts';

const { header, secondHeader, regions } = VHDX_LAYOUT;
const GIB = 1n << 30n;
const SOUND = vhdxImage({ virtualSize: 40n * GIB });

function probe(bytes: Uint8Array, storedSize: bigint | null = BigInt(bytes.length)) {
  return runReading(readImage({ storedSize, map: true }), bytes);
}

/** Changes the region table and signs it again. */
const region = (patch: (file: FileBytes) => unknown) => (file: FileBytes) => {
  patch(file);
  signVhdx(file, regions, 65_536);
};

const rows: readonly (readonly [
  name: string,
  patch: (file: FileBytes) => unknown,
  defect: DefectCode | null,
])[] = [
  ['as it is', () => {}, null],
  ['first header broken', (file) => file.u8(header + 100, 1), null],
  ['second header broken', (file) => file.u8(secondHeader + 100, 1), null],
  ['both headers broken', (file) => file.u8(header + 9, 1).u8(secondHeader + 9, 1), 'corrupt-header'],
  ['region table unsigned', (file) => file.u8(regions + 100, 1), 'corrupt-header'],
  ['2048 regions', region((file) => file.u32le(regions + 8, 2048)), 'corrupt-header'],
  ['no metadata region', region((file) => file.u8(regions + 48, 0)), 'corrupt-header'],
  ['no block table', region((file) => file.u8(regions + 16, 0)), 'corrupt-header'],
  ['an unknown region', region((file) => file.u32le(regions + 8, 3)), null],
  [
    'an unknown region that is required',
    region((file) => file.u32le(regions + 8, 3).u32le(regions + 16 + 64 + 28, 1)),
    'corrupt-header',
  ],
  ['block table too small', region((file) => file.u32le(regions + 40, 5127 * 8)), 'corrupt-header'],
  ['block table just large enough', region((file) => file.u32le(regions + 40, 5159 * 8)), null],
  ['metadata past the end', region((file) => file.u64le(regions + 64, 1n << 40n)), 'truncated'],
];
for (const [name, patch, defect] of rows)
  t.test(name, async (t) => {
    const { format, defects } = probe(patched(SOUND, patch)).value;
    t.equal(format, 'vhdx');
    t.same(
      defects.map(({ code }) => code),
      defect === null ? [] : [defect],
    );
  });

t.test('V takes three requests, wherever the metadata lies', async (t) => {
  for (const metadataOffset of [327_680, 3 << 20]) {
    const { value, requests } = probe(vhdxImage({ virtualSize: 40n * GIB, metadataOffset }));
    t.equal(value.virtualSize, 40n * GIB);
    t.same(
      requests.map(({ offset, length }) => [offset, length]),
      [
        [0n, 65_536],
        [65_536n, 196_608],
        [BigInt(metadataOffset), 131_072],
      ],
    );
  }
});

t.test('a log that was not replayed', async (t) => {
  const image = vhdxImage({ virtualSize: GIB, hasLog: true });
  t.same(
    probe(image).value.defects.map(({ code }) => code),
    ['unsupported-feature'],
  );
  const older = patched(image, (file) => {
    file.u64le(secondHeader + 8, 6n);
    signVhdx(file, secondHeader, 4096);
  });
  t.same(probe(older).value.defects, [], 'named by an older header');
  const empty = patched(image, (file) => file.u8(VHDX_LAYOUT.log + 4096, 0));
  t.same(probe(empty).value.defects, [], 'without an entry');
  const other = patched(image, (file) => file.u8(VHDX_LAYOUT.log + 4096 + 32, 8));
  t.same(probe(other).value.defects, [], 'with the entries of an earlier log');
});

t.test('cut short', async (t) => {
  const rows: [name: string, length: number, code: DefectCode][] = [
    ['in the prefix', 1000, 'corrupt-header'],
    ['after the headers', regions, 'corrupt-header'],
    ['before the headers end', header + 4095, 'corrupt-header'],
    ['before the metadata', 327_680, 'truncated'],
  ];
  for (const [name, length, code] of rows)
    t.same(
      probe(SOUND.subarray(0, length)).value.defects.map((defect) => defect.code),
      [code],
      name,
    );
});
