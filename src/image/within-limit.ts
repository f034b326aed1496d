/** zlib's error where the output would be longer than it may. */
function isTooLarge(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
}

/**
 * zlib's synchronous decoders throw where the output passes their limit, so how much to feed them is searched
 * for: `decode(units)` is given fewer of the input's units (bytes, blocks) until its output fits and is
 * `wanted` bytes or no more would fit. Other errors of `decode` are thrown.
 */
export function decodeWithinLimit(
  units: number,
  wanted: number,
  decode: (units: number) => Uint8Array,
): { readonly bytes: Uint8Array; readonly units: number } {
  let best: { bytes: Uint8Array; units: number } = { bytes: new Uint8Array(0), units: 0 };
  let tooMany = units + 1;
  let attempt = units;
  while (attempt > best.units && attempt < tooMany) {
    try {
      best = { bytes: decode(attempt), units: attempt };
      if (best.bytes.length >= wanted) return best;
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      tooMany = attempt;
    }
    attempt = best.units + Math.floor((tooMany - best.units) / 2);
  }
  return best;
}
