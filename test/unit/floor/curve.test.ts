import t from 'tap';
import { defaultCurves, floorOf, multusCurves } from '../../../src/floor/curve.ts';
import { formatQuantity } from '../../../src/quantity/format.ts';
import { MiB } from '../../../src/quantity/units.ts';

const DENSITIES = [0, 1, 10, 30, 45, 89, 90, 91, 110, 250, 400, 100_000];

const expected: Readonly<Record<keyof typeof defaultCurves, readonly string[]>> = {
  multus: [
    '100Mi',
    '100Mi',
    '100Mi',
    '200Mi',
    '280Mi',
    '500Mi',
    '500Mi',
    '510Mi',
    '600Mi',
    '1300Mi',
    '2Gi',
    '2Gi',
  ],
  cdi: ['2Gi', '2Gi', '2Gi', '2Gi', '2Gi', '2Gi', '2Gi', '2304Mi', '2560Mi', '4Gi', '4Gi', '4Gi'],
  hyperconverged: ['2Gi', '2Gi', '2Gi', '2Gi', '2Gi', '2Gi', '2Gi', '2304Mi', '2560Mi', '4Gi', '4Gi', '4Gi'],
};

for (const target of ['multus', 'cdi', 'hyperconverged'] as const) {
  t.test(`the default curve of ${target}`, async (t) => {
    DENSITIES.forEach((pods, index) => {
      t.equal(formatQuantity(floorOf(defaultCurves[target], pods)), expected[target][index], `${pods} pods`);
    });
  });
}

const unit = { base: 0n, perPod: 1n, step: 10n, min: 20n, max: 95n };
const bounds: readonly { readonly name: string; readonly pods: number; readonly floor: bigint }[] = [
  { name: 'under the minimum', pods: 1, floor: 20n },
  { name: 'at the minimum', pods: 20, floor: 20n },
  { name: 'over the minimum', pods: 21, floor: 30n },
  { name: 'on a step', pods: 30, floor: 30n },
  { name: 'over a step', pods: 31, floor: 40n },
  { name: 'the last step under the maximum', pods: 90, floor: 90n },
  { name: 'a maximum between two steps', pods: 91, floor: 95n },
];

for (const { name, pods, floor } of bounds) {
  t.test(`the bounds: ${name}`, async (t) => {
    t.equal(floorOf(unit, pods), floor);
  });
}

/** Working sets in MiB, measured with all pods of a node starting at once. */
const measured = {
  smallPlugins: { 30: 78, 60: 127, 90: 175, 110: 250, 250: 516 },
  cilium: { 30: 133, 60: 271, 90: 406, 110: 526, 250: 1527 },
  ciliumBefore116: { 30: 471, 90: 1413, 110: 1725, 250: 4106 },
} as const;

for (const delegate of ['smallPlugins', 'cilium', 'ciliumBefore116'] as const) {
  t.test(`the curve for ${delegate} lies over what was measured`, async (t) => {
    for (const [pods, peak] of Object.entries(measured[delegate])) {
      t.ok(floorOf(multusCurves[delegate], Number(pods)) > BigInt(peak) * MiB, `${pods} pods`);
    }
  });
}
