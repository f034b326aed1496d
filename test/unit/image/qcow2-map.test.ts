import t from 'tap';
import { MAP_LIMITS } from '../../../src/image/qcow2-map.ts';
import { readImage } from '../../../src/image/read.ts';
import { patched } from '../../fixtures/image/file.ts';
import {
  COMPRESSED,
  DATA,
  type Qcow2Recipe,
  qcow2Image,
  ZERO,
  ZERO_ALLOCATED,
} from '../../fixtures/image/qcow2.ts';
import { runReading } from '../../fixtures/image/run.ts';

const CLUSTER = 65_536n;

function map(bytes: Uint8Array) {
  return runReading(readImage({ storedSize: BigInt(bytes.length), map: true }), bytes);
}

const rows: readonly (readonly [name: string, recipe: Qcow2Recipe, allocated: bigint | null])[] = [
  ['nothing', { virtualSize: 100n * CLUSTER }, 0n],
  ['a disk of no bytes', { virtualSize: 0n }, 0n],
  ['one cluster', { virtualSize: 100n * CLUSTER, entries: new Map([[3n, [DATA]]]) }, CLUSTER],
  [
    'a compressed cluster counts whole',
    { virtualSize: CLUSTER, entries: new Map([[0n, [COMPRESSED]]]) },
    CLUSTER,
  ],
  ['zeros count nothing', { virtualSize: CLUSTER, entries: new Map([[0n, [ZERO]]]) }, 0n],
  ['allocated zeros neither', { virtualSize: CLUSTER, entries: new Map([[0n, [ZERO_ALLOCATED]]]) }, 0n],
  [
    'zeros in version 2, which has none',
    { version: 2, virtualSize: CLUSTER, entries: new Map([[0n, [ZERO_ALLOCATED]]]) },
    null,
  ],
  [
    'the last cluster counts up to the end of the disk',
    { virtualSize: CLUSTER + 512n, entries: new Map([[1n, [DATA]]]) },
    512n,
  ],
  ['a cluster past the end does not count', { virtualSize: CLUSTER, entries: new Map([[1n, [DATA]]]) }, 0n],
  [
    'clusters of several tables',
    {
      virtualSize: 30_000n * CLUSTER,
      entries: new Map([
        [0n, [DATA]],
        [8191n, [DATA]],
        [8192n, [COMPRESSED]],
        [29_999n, [DATA]],
      ]),
    },
    4n * CLUSTER,
  ],
  [
    'subclusters',
    { virtualSize: CLUSTER, extendedL2: true, entries: new Map([[0n, [DATA, 0b1011n]]]) },
    3n * 2048n,
  ],
  [
    'subclusters that read as zeros count nothing',
    { virtualSize: CLUSTER, extendedL2: true, entries: new Map([[0n, [DATA, 0xffffffffn << 32n]]]) },
    0n,
  ],
  [
    'subclusters up to the end of the disk',
    { virtualSize: 2048n + 512n, extendedL2: true, entries: new Map([[0n, [DATA, 0xffffffffn]]]) },
    2560n,
  ],
  [
    'a compressed cluster with extended L2',
    { virtualSize: CLUSTER, extendedL2: true, entries: new Map([[0n, [COMPRESSED, 0n]]]) },
    CLUSTER,
  ],
];
for (const [name, recipe, allocated] of rows)
  t.test(name, async (t) => t.equal(map(qcow2Image(recipe)).value.allocatedSize, allocated));

t.test('tables that touch are read at once, each once', async (t) => {
  const entries = new Map([0n, 1n, 2n, 3n].map((i) => [i * 8192n, [DATA]] as const));
  const { value, requests } = map(qcow2Image({ virtualSize: 40_000n * CLUSTER, entries }));
  t.equal(value.allocatedSize, 4n * CLUSTER);
  t.same(requests.slice(1), [
    { offset: 2n * CLUSTER, length: 5 * 8 },
    { offset: 3n * CLUSTER, length: 4 * 65_536 },
  ]);
});

t.test('tables apart are read one by one', async (t) => {
  const entries = new Map([0n, 1n].map((i) => [i * 8192n, [DATA]] as const));
  const image = qcow2Image({ virtualSize: 20_000n * CLUSTER, entries });
  const apart = Buffer.concat([image, new Uint8Array(65_536), image.subarray(4 * 65_536)]);
  const { value, requests } = map(patched(apart, (file) => file.u64be(2 * 65_536 + 8, 6n * CLUSTER)));
  t.equal(value.allocatedSize, 2n * CLUSTER);
  t.same(
    requests.slice(2).map(({ offset }) => offset),
    [3n * CLUSTER, 6n * CLUSTER],
  );
});

t.test('a forged L1 whose entries share a table tells nothing', async (t) => {
  const image = qcow2Image({ virtualSize: 30_000n * CLUSTER, entries: new Map([[0n, [DATA]]]) });
  const forged = patched(image, (file) => file.u64be(2 * 65_536 + 8, 3n * CLUSTER));
  t.equal(map(forged).value.allocatedSize, null);
  t.equal(map(forged).value.virtualSize, 30_000n * CLUSTER);
});

t.test('a table askew tells nothing', async (t) => {
  const image = qcow2Image({ virtualSize: CLUSTER, entries: new Map([[0n, [DATA]]]) });
  t.equal(
    map(patched(image, (file) => file.u64be(2 * 65_536, 3n * CLUSTER + 512n))).value.allocatedSize,
    null,
  );
});

t.test('tables past the end of the file are zeros', async (t) => {
  const image = qcow2Image({ virtualSize: CLUSTER, entries: new Map([[0n, [DATA]]]) });
  t.equal(map(image.subarray(0, 3 * 65_536)).value.allocatedSize, 0n);
});

t.test('more tables than the limits allow are not read', async (t) => {
  // Clusters of 2 MiB: one more table than fits the bytes that a walk may cost.
  const bits = 21;
  const count = MAP_LIMITS.maxTableBytes / (1 << bits) + 1;
  const perTable = 1n << BigInt(bits - 3);
  const virtualSize = BigInt(count) * (perTable << BigInt(bits));
  const image = qcow2Image({ virtualSize, clusterBits: bits });
  const forged = patched(image, (file) => {
    for (let i = 0; i < count; i++) file.u64be((2 << bits) + i * 8, BigInt(3 + i) << BigInt(bits));
  });
  const { value, requests } = map(forged);
  t.equal(value.allocatedSize, null);
  t.equal(value.virtualSize, virtualSize);
  t.equal(requests.length, 2, 'the prefix and L1');
});
