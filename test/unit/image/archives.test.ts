import t from 'tap';
import { ByteView } from '../../../src/bytes/view.ts';
import { ARCHIVES } from '../../../src/image/archives.ts';
import { FileBytes } from '../../fixtures/image/file.ts';
import { runReading } from '../../fixtures/image/run.ts';

function detail(bytes: Uint8Array): string | null {
  const prefix = new ByteView(bytes);
  const row = ARCHIVES.find((format) => format.recognise(prefix));
  if (row === undefined) return null;
  const { value } = runReading(row.read(prefix, { storedSize: 2048n, map: false }), bytes);
  t.equal(value.virtualSize, 2048n, 'imported as raw');
  return value.defects[0]!.detail;
}

const start = (bytes: readonly number[] | string) => new FileBytes(2048).put(0, bytes).bytes;
/** properties, dictionary (u32), size (u64), first byte of the range coder. */
const lzma = (dictionary: number, size: bigint, first = 0, properties = 0x5d) =>
  new FileBytes(2048).u8(0, properties).u32le(1, dictionary).u64le(5, size).u8(13, first).bytes;
const UNKNOWN = (1n << 64n) - 1n;

const rows: readonly (readonly [name: string, bytes: Uint8Array, detail: string | null])[] = [
  ['bzip2', start('BZh91AY&SY'), 'bzip2'],
  ['bzip2 of nothing', start('BZh1\x17\x72\x45\x38\x50\x90'), 'bzip2'],
  ['bzip2 of level 0', start('BZh01AY&SY'), null],
  ['BZh and something else', start('BZh9 and so on'), null],
  ['zip', start('PK\x03\x04'), 'zip'],
  ['PK and something else', start('PK\x07\x08'), null],
  ['tar', new FileBytes(2048).put(257, 'ustar').bytes, 'tar'],
  [
    'tar of a file whose name only contains .ovf',
    new FileBytes(2048).put(257, 'ustar').put(0, 'a.ovf.txt').bytes,
    'tar',
  ],
  ['OVA', new FileBytes(2048).put(257, 'ustar').put(0, 'machine.OVF').bytes, 'OVA'],
  ['lzma of unknown size', lzma(1 << 23, UNKNOWN), 'lzma'],
  ['lzma of known size', lzma(1 << 16, 1000n), 'lzma'],
  ['lzma, dictionary of 2^n + 2^(n-1)', lzma(3 << 20, 1000n), 'lzma'],
  ['lzma, dictionary of 2^31', lzma(0x80000000, 1000n), 'lzma'],
  ['lzma, dictionary of another size', lzma(5 << 20, 1000n), null],
  ['lzma, dictionary of nothing', lzma(0, 1000n), null],
  ['lzma, size of 2^40', lzma(1 << 23, 1n << 40n), null],
  ['lzma, range coder that begins with 1', lzma(1 << 23, 1000n, 1), null],
  ['lzma, other properties', lzma(1 << 23, 1000n, 0, 0x5e), null],
  ['zst behind a skippable frame', start([0x5f, 0x2a, 0x4d, 0x18]), 'zst behind a skippable frame'],
  ['a boot sector', new FileBytes(2048).put(0, [0xeb, 0x63, 0x90]).put(510, [0x55, 0xaa]).bytes, null],
  ['an ISO', new FileBytes(40_000).put(32_769, 'CD001').bytes, null],
  ['zeros', new Uint8Array(2048), null],
];
for (const [name, bytes, expected] of rows) t.test(name, async (t) => t.equal(detail(bytes), expected));
