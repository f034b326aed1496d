/** Bytes of the binary units. */
export const KiB = 1n << 10n;
export const MiB = 1n << 20n;
export const GiB = 1n << 30n;

/** The smallest multiple of `unit` that is not under `n`; for n >= 0. */
export function roundUpTo(n: bigint, unit: bigint): bigint {
  return ((n + unit - 1n) / unit) * unit;
}

/** The greatest multiple of `unit` that is not over `n`; for n >= 0. */
export function roundDownTo(n: bigint, unit: bigint): bigint {
  return (n / unit) * unit;
}
