import fc from 'fast-check';
import t from 'tap';
import { judgeVolume } from '../../../src/policy/judge-volume.ts';
import {
  acceptedSizes,
  isRoomy,
  isTooSmall,
  largestAccepted,
  type SizeLimits,
  smallestRoomy,
} from '../../../src/policy/size-limits.ts';
import { bytesOf } from '../../../src/quantity/parse.ts';
import { GiB, MiB } from '../../../src/quantity/units.ts';
import type { Volume } from '../../../src/volume/volume.ts';
import { BLOCK, DIVIDE, imageOf, type Kind, MULTIPLY, volumeOf } from './volumes.ts';

const LIMITS: SizeLimits = {
  maxThousandthsOfVirtual: 2000n,
  maxThousandthsOfData: 10_000n,
  allowance: 10n * GiB,
};

const LARGEST: readonly {
  name: string;
  virtualSize: bigint;
  data: bigint | null;
  limits?: Partial<SizeLimits>;
  largest: bigint;
}[] = [
  { name: 'the allowance', virtualSize: MiB, data: MiB, largest: 10n * GiB },
  { name: 'twice the disk', virtualSize: 10n * GiB, data: GiB, largest: 20n * GiB },
  { name: 'ten times the data', virtualSize: 10n * GiB, data: 3n * GiB, largest: 30n * GiB },
  { name: 'unknown data counts as the disk', virtualSize: 10n * GiB, data: null, largest: 100n * GiB },
  {
    name: 'never under the disk',
    virtualSize: 10n * GiB,
    data: 0n,
    limits: { maxThousandthsOfVirtual: 500n, allowance: 0n },
    largest: 10n * GiB,
  },
  {
    name: 'exact thousandths',
    virtualSize: 1_000_000_001n,
    data: 0n,
    limits: { maxThousandthsOfVirtual: 2_501n, allowance: 0n },
    largest: 2_501_000_002n,
  },
];

for (const { name, virtualSize, data, limits, largest } of LARGEST)
  t.test(`largest accepted: ${name}`, (t) => {
    t.equal(largestAccepted(virtualSize, data, { ...LIMITS, ...limits }), largest);
    t.end();
  });

/** Both sides of a boundary: the last size that does not, the first that does. */
const ROOMY: readonly { name: string; api: Volume['api']; kind: Kind; disk: bigint; from: bigint }[] = [
  { name: 'spec.storage, Filesystem', api: 'storage', kind: MULTIPLY, disk: 10n * GiB, from: 10n * GiB },
  { name: 'spec.storage, Block', api: 'storage', kind: BLOCK, disk: 12886302720n, from: 12886302720n },
  { name: 'spec.pvc, Block', api: 'pvc', kind: BLOCK, disk: 10n * GiB, from: 10n * GiB },
  {
    name: 'spec.pvc, Filesystem, overhead multiplied',
    api: 'pvc',
    kind: MULTIPLY,
    disk: 10n * GiB,
    // CDI rounds up before it rounds down: one byte under 1.06 x 10Gi still leaves 10Gi.
    from: 11_381_663_334n,
  },
  { name: 'spec.pvc, no overhead', api: 'pvc', kind: { ...DIVIDE, overhead: 0 }, disk: GiB, from: GiB },
];

for (const { name, api, kind, disk, from } of ROOMY)
  t.test(`roomy: ${name}`, (t) => {
    const [reading] = volumeOf('1Gi', { api, kinds: [kind] }).readings;
    t.equal(isRoomy(reading!, api, from, disk), true, 'from here');
    t.equal(isRoomy(reading!, api, from - 1n, disk), false, 'a byte less');
    t.end();
  });

const TOO_SMALL: readonly {
  name: string;
  size: string;
  api?: Volume['api'];
  kinds?: readonly Kind[];
  /** The largest disk that is not certain to fail; null: there is none that is. */
  largest: bigint | null;
}[] = [
  { name: 'spec.pvc, Filesystem: more than was asked for', size: '13Gi', api: 'pvc', largest: 13n * GiB },
  {
    name: 'spec.storage, Filesystem: more than the larger of the PVCs',
    size: '10Gi',
    largest: 11_381_663_335n,
  },
  {
    name: 'spec.storage, one formula: more than the PVC',
    size: '10Gi',
    kinds: [DIVIDE],
    largest: 11_362_347_344n,
  },
  { name: 'Block alone is never certain', size: '1Gi', kinds: [BLOCK], largest: null },
  {
    name: 'Block beside Filesystem, spec.pvc: more than whole GiB',
    size: '9500Mi',
    api: 'pvc',
    kinds: [BLOCK, MULTIPLY],
    largest: 10n * GiB,
  },
];

for (const { name, size, api = 'storage', kinds, largest } of TOO_SMALL)
  t.test(`too small: ${name}`, (t) => {
    const volume = volumeOf(size, { api, ...(kinds ? { kinds } : {}) });
    const requested = bytesOf(volume.requested);
    if (largest === null) t.equal(isTooSmall(volume, 1n << 60n, requested), false);
    else {
      t.equal(isTooSmall(volume, largest, requested), false, 'at the boundary');
      t.equal(isTooSmall(volume, largest + 1n, requested), true, 'a byte over it');
    }
    t.end();
  });

t.test('the smallest roomy size is whole MiB, and a MiB less is not roomy', (t) => {
  for (const api of ['storage', 'pvc'] as const)
    for (const kinds of [[DIVIDE], [MULTIPLY], [BLOCK], [DIVIDE, MULTIPLY, BLOCK]])
      for (const disk of [1n, MiB, MiB + 1n, 10n * GiB, 14548992000n, 39728447488n]) {
        const volume = volumeOf('1Gi', { api, kinds });
        const size = smallestRoomy(volume, disk);
        const roomy = (bytes: bigint) => volume.readings.every((one) => isRoomy(one, api, bytes, disk));
        t.equal(size % MiB, 0n);
        t.ok(roomy(size), `${disk} in ${size}`);
        if (size > MiB) t.notOk(roomy(size - MiB), `${disk} in a MiB less than ${size}`);
      }
  t.end();
});

const ACCEPTED: readonly {
  name: string;
  volume: Volume;
  disk: bigint;
  limits?: Partial<SizeLimits>;
  expected: readonly [from: bigint, to: bigint | null, suggested: bigint];
}[] = [
  {
    name: 'a base: up to twice the disk',
    volume: volumeOf('30Gi'),
    disk: 10n * GiB,
    expected: [10n * GiB, 20n * GiB, 10n * GiB],
  },
  {
    name: 'no base: no end',
    volume: volumeOf('30Gi', { base: { isBase: false, because: 'a VirtualMachine owns it' } }),
    disk: 10n * GiB,
    expected: [10n * GiB, null, 10n * GiB],
  },
  {
    name: 'whole GiB where that is inside',
    volume: volumeOf('1Gi'),
    disk: 12_886_302_720n,
    expected: [12290n * MiB, 25_772_605_440n, 13n * GiB],
  },
  {
    name: 'whole MiB where GiB are too much',
    volume: volumeOf('1Gi'),
    disk: 12_886_302_720n,
    limits: { maxThousandthsOfVirtual: 1000n, allowance: 0n, maxThousandthsOfData: 1000n },
    expected: [12290n * MiB, 12290n * MiB, 12290n * MiB],
  },
];

for (const { name, volume, disk, limits, expected } of ACCEPTED)
  t.test(`accepted sizes: ${name}`, (t) => {
    const { from, to, suggested } = acceptedSizes(volume, disk, GiB, { ...LIMITS, ...limits });
    t.same([from, to, suggested], expected);
    t.end();
  });

const overheads = fc.integer({ min: 0, max: 500 }).map((thousandths) => thousandths / 1000);
const filesystems = fc.record({
  mode: fc.constant('Filesystem' as const),
  formula: fc.constantFrom('divide' as const, 'multiply' as const),
  overhead: overheads,
});
const situations = fc.record({
  api: fc.constantFrom('storage' as const, 'pvc' as const),
  kinds: fc.array(fc.oneof(filesystems, fc.constant(BLOCK)), { minLength: 1, maxLength: 3 }),
  isBase: fc.boolean(),
  disk: fc.oneof(
    fc.bigInt(512n, 1n << 42n),
    fc.bigInt(1n, 512n).map((count) => count * GiB),
  ),
  data: fc.option(fc.bigInt(0n, 1n << 42n)),
  limits: fc.record({
    maxThousandthsOfVirtual: fc.bigInt(1000n, 5000n),
    maxThousandthsOfData: fc.bigInt(1000n, 50_000n),
    allowance: fc.bigInt(0n, 20n * GiB),
  }),
});

/** Sizes that a message tells people to ask for: the suggestion, and both ends of the range. */
const SIZES_TOLD = /Accepted: (\d+\w*)(?: to (\d+\w*)| or more)?\. Ask for (\d+\w*)\./;

t.test('every size that a message tells to ask for passes without a finding', (t) => {
  let told = 0;
  const property = fc.property(
    situations,
    fc.bigInt(1n, 1n << 43n),
    ({ api, kinds, isBase, disk, data, limits }, asked) => {
      const base = { isBase, because: 'the test says so' };
      const look = { kind: 'image', facts: imageOf(disk), storedSize: data } as const;
      const judge = (size: string) => judgeVolume(volumeOf(size, { api, kinds, base }), look, limits, 'it');
      const [finding] = judge(String(asked));
      if (!finding) return;
      const sizes = SIZES_TOLD.exec(finding.message)!.slice(1);
      for (const size of [finding.properties['suggested'], ...sizes]) {
        if (size === undefined) continue;
        told += 1;
        const again = judge(size);
        if (again.length > 0) throw new Error(`${finding.message}\n${size}: ${again[0]!.message}`);
      }
    },
  );
  t.equal(fc.defaultReportMessage(fc.check(property, { numRuns: 2000 })), undefined);
  t.ok(told > 1000, 'and there were some');
  t.end();
});
