/** What a 206 says it carries: bytes `first` to `last` of `total`, null where it does not know that. */
export interface ContentRange {
  readonly first: bigint;
  readonly last: bigint;
  readonly total: bigint | null;
}

/** Longer than any file's length is in decimal digits (2^63 has 19), and a bound on the work. */
const BYTES = /^bytes (\d{1,19})-(\d{1,19})\/(\d{1,19}|\*)$/i;

/** A Content-Range header (RFC 9110, 14.4); undefined where it is missing, malformed or contradicts itself. */
export function parseContentRange(header: string | undefined): ContentRange | undefined {
  const match = BYTES.exec(header ?? '');
  if (match === null) return undefined;
  const [first, last] = [BigInt(match[1] as string), BigInt(match[2] as string)];
  const total = match[3] === '*' ? null : BigInt(match[3] as string);
  if (last < first || (total !== null && last >= total)) return undefined;
  return { first, last, total };
}

/** A Content-Length header in bytes; null where it is missing or no number. */
export function parseContentLength(header: string | undefined): bigint | null {
  return header !== undefined && /^\d{1,19}$/.test(header) ? BigInt(header) : null;
}
