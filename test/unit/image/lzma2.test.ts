import t from 'tap';
import { BadLzmaError } from '../../../src/image/lzma.ts';
import { decodeLzma2 } from '../../../src/image/lzma2.ts';
import { noise } from '../../fixtures/image/noise.ts';
import { storedLzma2 } from '../../fixtures/image/xz.ts';
import { XZ_CONTENT, XZ_FILES } from '../../fixtures/image/xz-files.ts';

const LIMIT = 1 << 20;

t.test('stored chunks', async (t) => {
  const content = noise(200_000);
  const stream = storedLzma2(content);
  const { bytes, end } = decodeLzma2(stream, 0, LIMIT);
  t.same(Buffer.from(bytes), Buffer.from(content));
  t.equal(end, stream.length);
});

t.test('a stream inside of other bytes', async (t) => {
  const stream = storedLzma2(noise(100));
  const { bytes, end } = decodeLzma2(Buffer.concat([noise(7), stream, noise(9)]), 7, LIMIT);
  t.equal(bytes.length, 100);
  t.equal(end, 7 + stream.length);
});

t.test('a dictionary that starts anew behind other bytes', async (t) => {
  // The LZMA chunk of an .xz file, behind its headers, with the 0 that ends the stream.
  const file = XZ_FILES['xz -6']!;
  const chunk = file.subarray(24, 24 + 6 + ((file[27]! << 8) | file[28]!) + 1);
  const stream = Buffer.concat([storedLzma2(noise(3)).subarray(0, -1), chunk, Uint8Array.of(0)]);
  const { bytes, end } = decodeLzma2(stream, 0, LIMIT);
  t.same(Buffer.from(bytes), Buffer.concat([noise(3), XZ_CONTENT]));
  t.equal(end, stream.length);
});

t.test('input that ends early gives what there is', async (t) => {
  const content = noise(100);
  const stream = storedLzma2(content);
  for (const cut of [0, 1, 2, 3, 4, 50, 102, 103]) {
    const { bytes, end } = decodeLzma2(stream.subarray(0, cut), 0, LIMIT);
    t.same(Buffer.from(bytes), Buffer.from(content.subarray(0, Math.max(0, cut - 3))), `${cut}`);
    t.equal(end, null);
  }
});

t.test('no more than the limit', async (t) => {
  const stream = storedLzma2(noise(1000));
  const { bytes, end } = decodeLzma2(stream, 0, 300);
  t.equal(bytes.length, 300);
  t.equal(end, null);
});

const broken: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['no dictionary reset before stored bytes', [0x02, 0, 0, 65, 0]],
  ['no dictionary reset before LZMA', [0xc0, 0, 0, 0, 5, 0x5d, 0, 0, 0, 0, 0, 0]],
  ['control byte 3', [0x01, 0, 0, 65, 0x03]],
  ['control byte 0x7f', [0x01, 0, 0, 65, 0x7f]],
  ['LZMA without properties', [0x01, 0, 0, 65, 0x80, 0, 0, 0, 5, 0, 0, 0, 0, 0]],
  ['lc + lp over 4', [0xe0, 0, 0, 0, 5, 0x5d + 9 * 2, 0, 0, 0, 0, 0, 0]],
  ['properties 225', [0xe0, 0, 0, 0, 5, 225, 0, 0, 0, 0, 0, 0]],
];
for (const [name, bytes] of broken)
  t.test(`broken: ${name}`, async (t) => {
    t.throws(() => decodeLzma2(Uint8Array.from(bytes), 0, LIMIT), BadLzmaError);
  });
