import t from 'tap';
import type { DefectCode } from '../../../src/image/image.ts';
import { readImage } from '../../../src/image/read.ts';
import { type FileBytes, patched } from '../../fixtures/image/file.ts';
import { DATA, qcow2Image } from '../../fixtures/image/qcow2.ts';
import { runReading } from '../../fixtures/image/run.ts';

const GIB = 1n << 30n;
const SOUND = qcow2Image({ virtualSize: 10n * GIB, entries: new Map([[0n, [DATA]]]) });

function probe(bytes: Uint8Array, map = false) {
  return runReading(readImage({ storedSize: BigInt(bytes.length), map }), bytes);
}

type Row = readonly [name: string, patch: (file: FileBytes) => unknown, defect: DefectCode | null];

function checkRows(name: string, image: Uint8Array, rows: readonly Row[]): void {
  for (const [row, patch, defect] of rows)
    t.test(`${name}: ${row}`, async (t) => {
      const { value } = probe(patched(image, patch));
      t.equal(value.format, 'qcow2');
      t.same(
        value.defects.map(({ code }) => code),
        defect === null ? [] : [defect],
      );
    });
}

t.test('V takes one request of 64 KiB', async (t) => {
  const { value, requests } = probe(SOUND);
  t.equal(value.virtualSize, 10n * GIB);
  t.same(requests, [{ offset: 0n, length: 65_536 }]);
});

t.test('V is rounded down to whole sectors', async (t) => {
  for (const rest of [0n, 1n, 511n, 512n]) {
    const { value } = probe(patched(SOUND, (file) => file.u64be(24, GIB + rest)));
    t.equal(value.virtualSize, GIB + (rest === 512n ? 512n : 0n), `${rest} over`);
  }
});

t.test('A is walked only when asked for, and only of sound images', async (t) => {
  t.equal(probe(SOUND).value.allocatedSize, null);
  t.equal(probe(SOUND, true).value.allocatedSize, 65_536n);
  t.equal(
    probe(
      patched(SOUND, (file) => file.u32be(32, 2)),
      true,
    ).value.allocatedSize,
    null,
  );
});

checkRows('version 3', SOUND, [
  ['as it is', () => {}, null],
  ['version 0', (file) => file.u32be(4, 0), 'corrupt-header'],
  ['version 4', (file) => file.u32be(4, 4), 'unsupported-feature'],
  ['cluster bits 8', (file) => file.u32be(20, 8), 'corrupt-header'],
  ['cluster bits 22', (file) => file.u32be(20, 22), 'corrupt-header'],
  ['cluster bits of 2^32 - 1', (file) => file.u32be(20, 0xffffffff), 'corrupt-header'],
  ['header length 103', (file) => file.u32be(100, 103), 'corrupt-header'],
  ['header length 104', (file) => file.u32be(100, 104), null],
  ['header longer than a cluster', (file) => file.u32be(100, 65_537), 'corrupt-header'],
  ['refcount order 6', (file) => file.u32be(96, 6), null],
  ['refcount order 7', (file) => file.u32be(96, 7), 'corrupt-header'],
  ['dirty', (file) => file.u64be(72, 1n), null],
  ['corrupt', (file) => file.u64be(72, 2n), null],
  ['external data file', (file) => file.u64be(72, 4n), 'external-data-file'],
  ['an unknown incompatible feature', (file) => file.u64be(72, 0x20n), 'unsupported-feature'],
  ['the last incompatible feature', (file) => file.u64be(72, 1n << 63n), 'unsupported-feature'],
  ['zstd', (file) => file.u64be(72, 8n).u8(104, 1), null],
  ['zstd without its feature', (file) => file.u8(104, 1), 'corrupt-header'],
  ['the feature without zstd', (file) => file.u64be(72, 8n), 'corrupt-header'],
  ['compression type 2', (file) => file.u64be(72, 8n).u8(104, 2), 'corrupt-header'],
  ['encrypted with AES', (file) => file.u32be(32, 1), 'encrypted'],
  ['encrypted with LUKS', (file) => file.u32be(32, 2), 'encrypted'],
  ['encryption method 3', (file) => file.u32be(32, 3), 'unsupported-feature'],
  ['backing file', (file) => file.u64be(8, 1024n).u32be(16, 5), 'backing-file'],
  ['backing file without a name', (file) => file.u64be(8, 1024n).u32be(16, 0), null],
  ['backing name of 1023', (file) => file.u64be(8, 1024n).u32be(16, 1023), 'backing-file'],
  ['backing name of 1024', (file) => file.u64be(8, 1024n).u32be(16, 1024), 'corrupt-header'],
  ['backing name beyond the cluster', (file) => file.u64be(8, 65_530n).u32be(16, 7), 'corrupt-header'],
  ['backing offset beyond the cluster', (file) => file.u64be(8, 65_537n), 'corrupt-header'],
  ['no refcount table', (file) => file.u32be(56, 0), 'corrupt-header'],
  ['refcount table of 8 MiB', (file) => file.u32be(56, 128), null],
  ['refcount table over 8 MiB', (file) => file.u32be(56, 129), 'corrupt-header'],
  ['refcount table askew', (file) => file.u64be(48, 65_537n), 'corrupt-header'],
  ['snapshots', (file) => file.u32be(60, 3).u64be(64, 65_536n), null],
  ['65537 snapshots', (file) => file.u32be(60, 65_537), 'corrupt-header'],
  ['snapshot table askew', (file) => file.u64be(64, 8n), 'corrupt-header'],
  ['L1 table of one entry too few', (file) => file.u32be(36, 19), 'corrupt-header'],
  ['L1 table longer than need be', (file) => file.u32be(36, 21), null],
  ['L1 table of 32 MiB', (file) => file.u32be(36, 4 << 20), null],
  ['L1 table over 32 MiB', (file) => file.u32be(36, (4 << 20) + 1), 'corrupt-header'],
  ['L1 table of 2^32 - 1 entries', (file) => file.u32be(36, 0xffffffff), 'corrupt-header'],
  ['L1 table askew', (file) => file.u64be(40, 512n), 'corrupt-header'],
  ['L1 table past any file', (file) => file.u64be(40, 1n << 63n), 'corrupt-header'],
  ['size 2^60', (file) => file.u64be(24, 1n << 60n), 'corrupt-header'],
  ['size 2^64 - 1', (file) => file.u64be(24, (1n << 64n) - 1n), 'corrupt-header'],
  ['size 0', (file) => file.u64be(24, 0n), null],
  ['extension that ends the list', (file) => file.u32be(112, 0).u32be(116, 0xffff), 'corrupt-header'],
  ['extension of an unknown kind', (file) => file.u32be(112, 7).u32be(116, 9), null],
  ['extension beyond the cluster', (file) => file.u32be(112, 7).u32be(116, 65_536), 'corrupt-header'],
]);

checkRows('version 3, clusters of 8 KiB', qcow2Image({ virtualSize: GIB, clusterBits: 13 }), [
  ['as it is', () => {}, null],
  ['extended L2', (file) => file.u64be(72, 0x10n), 'corrupt-header'],
]);

checkRows('extended L2', qcow2Image({ virtualSize: GIB, clusterBits: 14, extendedL2: true }), [
  ['as it is', () => {}, null],
]);

checkRows('version 2', qcow2Image({ version: 2, virtualSize: GIB }), [
  ['as it is', () => {}, null],
  ['bits where version 3 has its features', (file) => file.u64be(72, 1n << 32n), null],
]);

t.test('clusters over 2 MiB are refused for that alone', async (t) => {
  const { value } = probe(qcow2Image({ virtualSize: GIB, clusterBits: 22 }));
  t.same(value.defects, [{ code: 'corrupt-header', detail: 'cluster bits 22' }]);
  t.same(probe(qcow2Image({ virtualSize: GIB, clusterBits: 21 })).value.defects, []);
});

t.test('several defects are all told', async (t) => {
  const { value } = probe(
    patched(SOUND, (file) => file.u64be(72, 4n).u32be(32, 2).u64be(8, 1024n).u32be(16, 5)),
  );
  t.same(
    value.defects.map(({ code }) => code),
    ['backing-file', 'external-data-file', 'encrypted'],
  );
  t.equal(value.virtualSize, 10n * GIB);
});
