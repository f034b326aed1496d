import type { Density, DensityStatistic } from './density.ts';
import { type HighWaterMarks, highestMark } from './high-water.ts';

/** Pods: one more or less on the densest node is no reason to move every floor. */
const ROUNDING = 10;

/** What the planning density is taken from. */
export type PlanningBasis =
  /** A number that someone chose; it is taken as it is. */
  | { readonly statistic: Extract<DensityStatistic, 'fixed'>; readonly pods: number }
  /** Marks by node: of pods seen, or of pods allocatable. `minimum` in pods. */
  | {
      readonly statistic: Exclude<DensityStatistic, 'fixed'>;
      readonly marks: HighWaterMarks;
      readonly minimum: number;
    };

/** The highest mark over the nodes, rounded up to the next 10 and never under the minimum. */
export function planningDensity(basis: PlanningBasis): Density {
  if (basis.statistic === 'fixed') return { pods: basis.pods, origin: 'fixed' };
  const pods = Math.ceil(highestMark(basis.marks) / ROUNDING) * ROUNDING;
  return pods < basis.minimum
    ? { pods: basis.minimum, origin: 'minimum' }
    : { pods, origin: basis.statistic };
}
