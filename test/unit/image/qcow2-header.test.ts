import t from 'tap';
import { ByteView, OutOfBoundsError } from '../../../src/bytes/view.ts';
import {
  l1EntriesNeeded,
  l2EntriesOf,
  readQcow2Header,
  virtualSizeOf,
} from '../../../src/image/qcow2-header.ts';
import { qcow2Image } from '../../fixtures/image/qcow2.ts';

const read = (bytes: Uint8Array) => readQcow2Header(new ByteView(bytes));

t.test('a version 2 header has no features', async (t) => {
  const header = read(qcow2Image({ version: 2, virtualSize: 1024n }));
  t.equal(header.headerLength, 72);
  t.equal(header.features, 0n);
  t.equal(header.compressionType, 0);
});

t.test('L1 entries that a disk needs', async (t) => {
  const rows: [name: string, bits: number, extended: boolean, size: bigint, entries: bigint][] = [
    ['nothing', 16, false, 0n, 0n],
    ['one sector', 16, false, 512n, 1n],
    ['512 MiB', 16, false, 512n << 20n, 1n],
    ['512 MiB and a sector', 16, false, (512n << 20n) + 512n, 2n],
    ['extended entries are twice as long', 16, true, 512n << 20n, 2n],
    ['clusters of 512 bytes', 9, false, 1n << 30n, 32_768n],
    ['clusters of 2 MiB', 21, false, 64n << 40n, 128n],
  ];
  for (const [name, clusterBits, extendedL2, virtualSize, entries] of rows) {
    const header = { ...read(qcow2Image({ virtualSize: 0n, clusterBits, extendedL2 })), size: virtualSize };
    t.equal(l1EntriesNeeded(header), entries, name);
  }
});

t.test('entries of an L2 table', async (t) => {
  t.equal(l2EntriesOf(read(qcow2Image({ virtualSize: 0n }))), 8192n);
  t.equal(l2EntriesOf(read(qcow2Image({ virtualSize: 0n, extendedL2: true }))), 4096n);
});

t.test('V drops the rest of a sector', async (t) => {
  const header = read(qcow2Image({ virtualSize: 1024n }));
  t.equal(virtualSizeOf({ ...header, size: 1023n }), 512n);
  t.equal(virtualSizeOf(header), 1024n);
});

t.test('a header that ends early is out of bounds', async (t) => {
  t.throws(() => read(qcow2Image({ virtualSize: 1024n }).subarray(0, 103)), OutOfBoundsError);
});
