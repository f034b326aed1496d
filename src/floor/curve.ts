import { GiB, MiB, roundUpTo } from '../quantity/units.ts';
import type { Curve } from './floor.ts';

/** Bytes that a limit may not go below where `pods` (a whole number) run on a node. Needs step >= 1, min <= max. */
export function floorOf(curve: Curve, pods: number): bigint {
  const stepped = roundUpTo(curve.base + curve.perPod * BigInt(pods), curve.step);
  if (stepped < curve.min) return curve.min;
  if (stepped > curve.max) return curve.max;
  return stepped;
}

/**
 * A delegate plugin runs in the memory cgroup of the Multus daemon, so what a pod costs depends on the size of the
 * node's delegate. Each curve lies over the working set that was measured with all pods of a node starting at once.
 */
export const multusCurves = {
  /** Small Go plugins: 1.0 to 1.6 MiB for each call in flight. */
  smallPlugins: { base: 50n * MiB, perPod: 5n * MiB, step: 10n * MiB, min: 100n * MiB, max: 2n * GiB },
  /** cilium-cni from 1.16 on: 4.4 to 6.1 MiB for each call in flight. */
  cilium: { base: 50n * MiB, perPod: 8n * MiB, step: 10n * MiB, min: 100n * MiB, max: 4n * GiB },
  /** cilium-cni up to 1.15: 15.7 to 16.5 MiB for each call in flight. */
  ciliumBefore116: { base: 50n * MiB, perPod: 18n * MiB, step: 10n * MiB, min: 100n * MiB, max: 8n * GiB },
} as const satisfies Readonly<Record<string, Curve>>;

/** CDI's importers grow with the images and the storage rather than with density, so this one rises gently. */
const cdiCurve: Curve = {
  base: 512n * MiB,
  perPod: 17n * MiB,
  step: 256n * MiB,
  min: 2n * GiB,
  max: 4n * GiB,
};

/** The curves of the built-in targets. */
export const defaultCurves = {
  multus: multusCurves.smallPlugins,
  cdi: cdiCurve,
  hyperconverged: cdiCurve,
} as const satisfies Readonly<Record<string, Curve>>;
