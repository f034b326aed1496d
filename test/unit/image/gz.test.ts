import { gzipSync } from 'node:zlib';
import t from 'tap';
import { GZ } from '../../../src/image/gz.ts';
import { WRAPPER_LIMITS } from '../../../src/image/wrapper.ts';
import { patched } from '../../fixtures/image/file.ts';
import { noise, prose } from '../../fixtures/image/noise.ts';
import { runReading } from '../../fixtures/image/run.ts';

const CONTENT = prose(5000);
const FILE = gzipSync(CONTENT);
const WANTED = 65_536;

function unpacked(input: Uint8Array, complete: boolean, wanted = WANTED) {
  const result = GZ.decompress(input, complete, wanted);
  if (result.kind === 'broken') throw new Error(result.detail);
  return result;
}

t.test('a whole file', async (t) => {
  const { bytes, ended } = unpacked(FILE, true);
  t.same(Buffer.from(bytes), Buffer.from(CONTENT));
  t.ok(ended);
});

t.test('several members are one content', async (t) => {
  const { bytes, ended } = unpacked(Buffer.concat([FILE, gzipSync(noise(10))]), true);
  t.same(Buffer.from(bytes), Buffer.concat([CONTENT, noise(10)]));
  t.ok(ended);
});

t.test('the beginning of a file, wherever it is cut', async (t) => {
  const long = gzipSync(Buffer.concat([CONTENT, CONTENT]));
  const two = Buffer.concat([FILE, long]);
  for (const cut of [
    1,
    2,
    5,
    9,
    10,
    11,
    100,
    FILE.length - 1,
    FILE.length,
    FILE.length + 1,
    two.length - 1,
  ]) {
    const { bytes, ended } = unpacked(two.subarray(0, cut), false);
    t.same(
      Buffer.from(bytes),
      Buffer.concat([CONTENT, CONTENT, CONTENT]).subarray(0, bytes.length),
      `${cut}`,
    );
    t.equal(ended, false);
  }
  t.ok(unpacked(two.subarray(0, FILE.length), false).bytes.length === CONTENT.length);
});

t.test('a bomb is not decompressed past the limit', async (t) => {
  const bomb = gzipSync(new Uint8Array(64 << 20));
  const { bytes, ended } = unpacked(bomb, true);
  t.ok(bytes.length >= WANTED && bytes.length <= WRAPPER_LIMITS.maxOutput);
  t.equal(ended, false);
});

t.test('content of just the limit', async (t) => {
  t.ok(unpacked(gzipSync(new Uint8Array(WRAPPER_LIMITS.maxOutput)), true, WRAPPER_LIMITS.maxOutput).ended);
  const over = gzipSync(new Uint8Array(WRAPPER_LIMITS.maxOutput + 1));
  t.equal(unpacked(over, true, WRAPPER_LIMITS.maxOutput).ended, false);
});

const broken: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ['cut short', FILE.subarray(0, -9)],
  ['cut in its trailer', FILE.subarray(0, -1)],
  ['wrong CRC', patched(FILE, (file) => file.u8(FILE.length - 8, FILE[FILE.length - 8]! ^ 1))],
  ['wrong length', patched(FILE, (file) => file.u8(FILE.length - 1, 1))],
  ['padded with zeros', Buffer.concat([FILE, new Uint8Array(512)])],
  ['with other bytes behind', Buffer.concat([FILE, Buffer.from('junk')])],
  ['method 7', patched(FILE, (file) => file.u8(2, 7))],
  ['magic alone', Buffer.from([0x1f, 0x8b])],
];
for (const [name, bytes] of broken)
  t.test(`broken: ${name}`, async (t) => t.equal(GZ.decompress(bytes, true, WANTED).kind, 'broken'));

t.test('its length says nothing of the content’s', async (t) => {
  t.same(runReading(GZ.contentSize(FILE, { storedSize: BigInt(FILE.length), map: false }), FILE), {
    value: { kind: 'unknown' },
    requests: [],
  });
});
