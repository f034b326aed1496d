import t from 'tap';
import { ByteView, OutOfBoundsError } from '../../../src/bytes/view.ts';

const bytes = Uint8Array.from([
  0x51, 0x46, 0x49, 0xfb, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
]);
const view = new ByteView(bytes.subarray(0));

t.test('integers of both byte orders', (t) => {
  const rows: [string, number | bigint, number | bigint][] = [
    ['u8', view.u8(3), 0xfb],
    ['u16be', view.u16be(0), 0x5146],
    ['u16le', view.u16le(0), 0x4651],
    ['u32be', view.u32be(4), 3],
    ['u32le', view.u32le(4), 0x03000000],
    ['u64be beyond 2^53', view.u64be(8), 0xfffffffffffffffen],
    ['u64le', view.u64le(8), 0xfeffffffffffffffn],
  ];
  for (const [name, found, wanted] of rows) t.equal(found, wanted, name);
  t.equal(view.ascii(0, 3), 'QFI');
  t.end();
});

t.test('every read ends at the last byte, and not one later', (t) => {
  const rows: [string, (at: number) => unknown, number][] = [
    ['u8', (at) => view.u8(at), 1],
    ['u16be', (at) => view.u16be(at), 2],
    ['u16le', (at) => view.u16le(at), 2],
    ['u32be', (at) => view.u32be(at), 4],
    ['u32le', (at) => view.u32le(at), 4],
    ['u64be', (at) => view.u64be(at), 8],
    ['u64le', (at) => view.u64le(at), 8],
    ['slice of 5', (at) => view.slice(at, 5), 5],
  ];
  for (const [name, read, width] of rows) {
    t.ok(read(16 - width) !== undefined, `${name}: last`);
    for (const at of [17 - width, -1, 0.5, Number.NaN, 2 ** 53])
      t.throws(() => read(at), OutOfBoundsError, `${name} at ${at}`);
  }
  t.throws(() => view.slice(0, -1), { code: 'out-of-bounds' });
  t.end();
});

t.test('a view of part of a buffer does not see the rest', (t) => {
  const part = new ByteView(bytes.subarray(4, 8));
  t.equal(part.u32be(0), 3);
  t.throws(() => part.u8(4), OutOfBoundsError);
  t.ok(view.startsWith([0x46, 0x49], 1));
  t.notOk(part.startsWith([0, 0, 0, 3, 0xff]));
  t.end();
});
