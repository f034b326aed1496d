import t from 'tap';
import { XZ } from '../../../src/image/xz.ts';
import { patched } from '../../fixtures/image/file.ts';
import { noise } from '../../fixtures/image/noise.ts';
import { runReading } from '../../fixtures/image/run.ts';
import { storedLzma2, xzFile, xzStream } from '../../fixtures/image/xz.ts';
import { XZ_CONTENT, XZ_FILES } from '../../fixtures/image/xz-files.ts';

const WANTED = 65_536;
const block = (content: Uint8Array) => ({ lzma2: storedLzma2(content), content });

function unpacked(input: Uint8Array, complete: boolean, wanted = WANTED) {
  const result = XZ.decompress(input, complete, wanted);
  if (result.kind === 'broken') throw new Error(result.detail);
  return result;
}

for (const [name, bytes] of Object.entries(XZ_FILES)) {
  t.test(name, async (t) => {
    const { bytes: content, ended } = unpacked(bytes, true);
    t.same(Buffer.from(content), Buffer.from(XZ_CONTENT));
    t.ok(ended);
  });

  t.test(`${name}: its beginning, wherever it is cut`, async (t) => {
    for (let cut = 6; cut < bytes.length; cut += 7) {
      const { bytes: content, ended } = unpacked(bytes.subarray(0, cut), false);
      t.same(Buffer.from(content), Buffer.from(XZ_CONTENT.subarray(0, content.length)), `${cut}`);
      t.equal(ended, false);
      t.equal(XZ.decompress(bytes.subarray(0, cut), true, WANTED).kind, 'broken', `${cut} as a whole`);
    }
  });
}

t.test('several streams, with padding', async (t) => {
  const file = Buffer.concat([xzFile(noise(100)), new Uint8Array(8), xzFile(noise(50)), new Uint8Array(4)]);
  const { bytes, ended } = unpacked(file, true);
  t.same(Buffer.from(bytes), Buffer.concat([noise(100), noise(50)]));
  t.ok(ended);
});

t.test('no more than is wanted', async (t) => {
  const { bytes, ended } = unpacked(xzStream([block(noise(1000)), block(noise(1000))]), true, 1500);
  t.equal(bytes.length, 1500);
  t.equal(ended, false);
});

const SOUND = xzFile(noise(1000));
const broken: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ['stream flags', patched(SOUND, (file) => file.u8(6, 1))],
  ['stream header’s CRC', patched(SOUND, (file) => file.u8(8, SOUND[8]! ^ 1))],
  ['block header’s CRC', patched(SOUND, (file) => file.u8(20, SOUND[20]! ^ 1))],
  ['index', patched(SOUND, (file) => file.u8(SOUND.length - 13, SOUND[SOUND.length - 13]! ^ 1))],
  ['x86 filter', xzStream([block(noise(1000))], { filters: { count: 2, bytes: [4, 0, 0x21, 1, 0x16] } })],
  ['delta alone', xzStream([block(noise(1000))], { filters: { count: 1, bytes: [3, 1, 0] } })],
  ['dictionary size 41', xzStream([block(noise(1000))], { filters: { count: 1, bytes: [0x21, 1, 41] } })],
  ['other bytes behind', Buffer.concat([SOUND, Buffer.from('junk and more')])],
  ['LZMA2 data', patched(SOUND, (file) => file.u8(24, 0x55))],
];
for (const [name, bytes] of broken)
  t.test(`broken: ${name}`, async (t) => t.equal(XZ.decompress(bytes, true, WANTED).kind, 'broken'));

t.test('a dictionary of 4 GiB costs nothing', async (t) => {
  const file = xzStream([block(noise(1000))], { filters: { count: 1, bytes: [0x21, 1, 40] } });
  t.equal(unpacked(file, true).bytes.length, 1000);
});

t.test('the size of the content is read where the length of the file is known', async (t) => {
  const known = runReading(XZ.contentSize(SOUND, { storedSize: BigInt(SOUND.length), map: false }), SOUND);
  t.same(known.value, { kind: 'exact', bytes: 1000n });
  t.same(runReading(XZ.contentSize(SOUND, { storedSize: null, map: false }), SOUND), {
    value: { kind: 'unknown' },
    requests: [],
  });
});
