import { MiB, roundDownTo } from '../quantity/units.ts';
import type { OverheadFormula } from './volume.ts';

/** What CDI takes where its configuration says nothing; the formula and its default changed together in v1.63. */
export const DEFAULT_OVERHEAD: Readonly<Record<OverheadFormula, string>> = {
  divide: '0.055',
  multiply: '0.06',
};

/** CDI allows an overhead of 1, by which the old formula divides by zero; this much is left then, so that sizes stay finite. */
const LEAST_LEFT = 0.001;

/** An overhead as CDI's API writes it, from "0" to "1" with at most three decimals; null for any other text. */
export function parseOverhead(text: string): number | null {
  return /^(?:0(?:\.[0-9]{1,3})?|1)$/.test(text) ? Number(text) : null;
}

// CDI computes both directions in doubles (pkg/util/util.go), and its PVCs differ from exact arithmetic by a byte in
// places. So these two functions, and nothing else, count bytes in floating point.

/** Bytes of the PVC that CDI asks for so that `bytes`, in whole MiB, fit on its filesystem. */
export function requiredSpace(formula: OverheadFormula, overhead: number, bytes: bigint): bigint {
  const alignment = Number(MiB);
  const aligned = Math.ceil(Number(bytes) / alignment) * alignment;
  return BigInt(Math.ceil(formula === 'multiply' ? aligned * (1 + overhead) : aligned / leftOf(overhead)));
}

/** Bytes that CDI counts on for the disk on a filesystem of `bytes`: whole MiB. */
export function usableSpace(formula: OverheadFormula, overhead: number, bytes: bigint): bigint {
  const size = Number(bytes);
  const usable = Math.ceil(formula === 'multiply' ? size / (1 + overhead) : leftOf(overhead) * size);
  return roundDownTo(BigInt(usable), MiB);
}

function leftOf(overhead: number): number {
  return Math.max(1 - overhead, LEAST_LEFT);
}
