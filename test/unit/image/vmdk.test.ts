import t from 'tap';
import type { DefectCode } from '../../../src/image/image.ts';
import { readImage } from '../../../src/image/read.ts';
import { type FileBytes, patched } from '../../fixtures/image/file.ts';
import { runReading } from '../../fixtures/image/run.ts';
import { DESCRIPTOR, vmdkImage } from '../../fixtures/image/vmdk.ts';

function probe(bytes: Uint8Array, storedSize: bigint | null = BigInt(bytes.length)) {
  return runReading(readImage({ storedSize, map: true }), bytes).value;
}
const codes = (bytes: Uint8Array) => probe(bytes).defects.map(({ code }) => code);

const SOUND = vmdkImage({ capacity: 20_480n });
const rows: readonly (readonly [
  name: string,
  patch: (file: FileBytes) => unknown,
  defect: DefectCode | null,
])[] = [
  ['as it is', () => {}, null],
  ['capacity 0', (file) => file.u64le(12, 0n), 'descriptor-only'],
  ['capacity past any file', (file) => file.u64le(12, 1n << 54n), 'corrupt-header'],
  ['version 3', (file) => file.u32le(4, 3), null],
  ['version 4', (file) => file.u32le(4, 4), 'unsupported-feature'],
  ['grain tables of 513', (file) => file.u32le(44, 513), 'corrupt-header'],
  ['grain tables of none', (file) => file.u32le(44, 0), 'corrupt-header'],
  ['grains of nothing', (file) => file.u64le(20, 0n), 'corrupt-header'],
  ['grains of 1 GiB', (file) => file.u64le(20, 0x200000n), null],
  ['grains over 1 GiB', (file) => file.u64le(20, 0x200001n), 'corrupt-header'],
  ['33 million grain tables', (file) => file.u64le(12, (1n << 34n) + 1n).u64le(20, 1n), 'corrupt-header'],
  ['grain directory at a negative offset', (file) => file.u64le(56, 1n << 54n), 'corrupt-header'],
  ['as many grain tables as may be', (file) => file.u64le(12, 1n << 34n).u64le(20, 1n), null],
  ['shorter than its tables', (file) => file.u64le(64, 33n), 'corrupt-header'],
  ['as long as its tables', (file) => file.u64le(64, 32n), null],
];
for (const [name, patch, defect] of rows)
  t.test(name, async (t) => t.same(codes(patched(SOUND, patch)), defect === null ? [] : [defect]));

const descriptors: readonly (readonly [name: string, descriptor: string, defect: DefectCode | null])[] = [
  ['CID in capitals', DESCRIPTOR.replace('8dd1f4a2', '8DD1F4A2').replace('ffffffff', 'FFFFFFFF'), null],
  ['CID of another case', DESCRIPTOR.replace('parentCID', 'parentcid'), 'descriptor-only'],
  ['CID behind another sign', DESCRIPTOR.replace('CID=f', 'CID f'), null],
  ['none', '', 'descriptor-only'],
  ['without its own CID, which the parent’s then is', 'parentCID=ffffffff\n', null],
  ['without a parent’s CID', 'CID=8dd1f4a2\n', 'descriptor-only'],
  [
    'with a CID that is no number',
    'CID=\nparentCID=ffffffff\n'.replace('CID=\n', 'CID=x\n'),
    'descriptor-only',
  ],
  ['with a parent’s CID', DESCRIPTOR.replace('ffffffff', '8dd1f4a3'), 'differencing'],
  ['with a parent’s name', `${DESCRIPTOR}parentFileNameHint="base.vmdk"\n`, 'differencing'],
  ['that ends before the parent’s name', `${DESCRIPTOR}\0parentFileNameHint="base.vmdk"\n`, null],
];
for (const [name, descriptor, defect] of descriptors)
  t.test(`descriptor ${name}`, async (t) => {
    const image = vmdkImage({ capacity: 20_480n, descriptor });
    t.same(codes(image), defect === null ? [] : [defect]);
    t.equal(probe(image).virtualSize, 10n << 20n);
  });

t.test('the footer counts where the header says so', async (t) => {
  const image = vmdkImage({ capacity: 1n, footerCapacity: 20_480n, length: 81_920 });
  t.equal(probe(image).virtualSize, 10n << 20n);
  t.equal(probe(image, null).virtualSize, 512n, 'of unknown length: the header');
  t.same(codes(image.subarray(0, -512)), ['truncated']);
  t.same(
    codes(patched(image, (file) => file.u32le(image.length - 1536 + 12, 1))),
    ['truncated'],
    'other marker',
  );
});
