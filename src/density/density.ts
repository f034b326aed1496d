export type DensityStatistic = 'highWaterMark' | 'allocatable' | 'fixed';

/** Pods that need CNI on a node, as the floors use it, and where the number comes from. */
export interface Density {
  /** The planning density: pods on the densest node, rounded up to the next 10. */
  readonly pods: number;
  readonly origin: 'fixed' | 'minimum' | 'highWaterMark' | 'allocatable';
}
