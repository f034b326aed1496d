import { gzipSync } from 'node:zlib';
import t from 'tap';
import { readImage } from '../../../src/image/read.ts';
import { patched } from '../../fixtures/image/file.ts';
import { noise } from '../../fixtures/image/noise.ts';
import { qcow2Image } from '../../fixtures/image/qcow2.ts';
import { runReading } from '../../fixtures/image/run.ts';
import { vdiImage } from '../../fixtures/image/vdi.ts';
import { vhdxImage } from '../../fixtures/image/vhdx.ts';
import { xzFile } from '../../fixtures/image/xz.ts';

function probe(bytes: Uint8Array, storedSize: bigint | null = BigInt(bytes.length)) {
  return runReading(readImage({ storedSize, map: false }), bytes);
}

t.test('the first 64 KiB are asked for first', async (t) => {
  t.same(probe(new Uint8Array(100_000)).requests, [{ offset: 0n, length: 65_536 }]);
});

t.test('under 512 bytes nothing is looked at', async (t) => {
  const qcow2 = qcow2Image({ virtualSize: 1n << 30n });
  t.equal(probe(qcow2.subarray(0, 511)).value.defects[0]!.code, 'under-512-bytes');
  t.equal(probe(qcow2.subarray(0, 512)).value.virtualSize, 1n << 30n);
  const inside = probe(gzipSync(noise(511))).value;
  t.same([inside.wrappers, inside.defects[0]!.code], [['gz'], 'under-512-bytes'], 'inside of a wrapper');
  const served = gzipSync(new Uint8Array(1 << 20)).subarray(0, 511);
  t.same(probe(served).value.wrappers, [], 'as served');
});

t.test('a file that ends in its prefix is as long as that', async (t) => {
  for (const said of [null, 600n, 5n << 30n])
    t.equal(probe(noise(1000), said).value.virtualSize, 1024n, `${said} said`);
});

t.test('a header that ends early is a defect, not another format', async (t) => {
  const header = vdiImage(1n << 30n).subarray(0, 512);
  const late = patched(header, (file) => file.u32le(0x44, 0x10001));
  t.equal(probe(late.subarray(0, 512)).value.format, 'vdi');
  const { value } = probe(vhdxImage({ virtualSize: 1n << 30n }).subarray(0, 600));
  t.equal(value.format, 'vhdx');
  t.equal(value.virtualSize, null);
  t.equal(value.defects.length, 1);
});

t.test('in a container disk nothing is peeled: CDI imports the compressed bytes as they are', async (t) => {
  const qcow2 = qcow2Image({ virtualSize: 1n << 30n });
  const wrapped = gzipSync(Buffer.concat([qcow2, noise(4096)]));
  const look = (peel: boolean) =>
    runReading(readImage({ storedSize: BigInt(wrapped.length), map: false, peel }), wrapped).value;
  t.match(look(true), { format: 'qcow2', wrappers: ['gz'], virtualSize: 1n << 30n, defects: [] });
  t.match(look(false), { format: 'raw', wrappers: [], defects: [{ code: 'unsupported-wrapper' }] });
  t.equal(look(false).virtualSize, (BigInt(wrapped.length) + 511n) & ~511n);
  const bare = runReading(readImage({ storedSize: BigInt(qcow2.length), map: false, peel: false }), qcow2);
  t.match(bare.value, { format: 'qcow2', defects: [] });
});

t.test('each kind of wrapper is peeled once', async (t) => {
  const image = Buffer.concat([qcow2Image({ virtualSize: 1n << 30n }), noise(1000)]);
  const nested = probe(xzFile(gzipSync(image))).value;
  t.same([nested.format, nested.wrappers, nested.defects], ['qcow2', ['xz', 'gz'], []]);
  const twice = gzipSync(xzFile(gzipSync(image)));
  const { format, wrappers, defects } = probe(twice).value;
  t.same([format, wrappers], ['raw', ['gz', 'xz']]);
  t.equal(defects[0]!.code, 'unsupported-wrapper');
});

t.test('what lies too deep in a wrapper is unknown, and no defect', async (t) => {
  const deep = vhdxImage({ virtualSize: 1n << 30n, metadataOffset: 3 << 20 });
  const { value, requests } = probe(xzFile(deep));
  t.same([value.format, value.virtualSize, value.defects], ['vhdx', null, []]);
  t.ok(requests.every(({ offset, length }) => offset + BigInt(length) <= 1n << 20n));
  const near = probe(xzFile(vhdxImage({ virtualSize: 1n << 30n }))).value;
  t.equal(near.virtualSize, 1n << 30n);
});

t.test('a wrapper whose content cannot be reached at all', async (t) => {
  // A gzip header with a file name of more than 1 MiB.
  const named = Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]),
    Buffer.alloc(1 << 21, 'a'),
  ]);
  const { value } = probe(named);
  t.same([value.format, value.wrappers, value.virtualSize, value.defects], ['unknown', ['gz'], null, []]);
});
