import { KiB } from './units.ts';

const BINARY_UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL_UNITS = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** Bytes of each unit. */
const BINARY_SIZES = BINARY_UNITS.map((_, power) => 1024n ** BigInt(power));
const DECIMAL_SIZES = DECIMAL_UNITS.map((_, power) => 1000n ** BigInt(power));

/** A count of five digits is the most that people take in at a glance. */
const MAX_COUNT_FOR_PEOPLE = 100_000n;

/**
 * The canonical text of a whole number of bytes as Kubernetes prints it in its BinarySI format: 10Gi, 2560Mi, 1025.
 * Under 1024 Kubernetes turns to decimal suffixes, so 1000 is 1k.
 */
export function formatQuantity(bytes: bigint): string {
  const magnitude = bytes < 0n ? -bytes : bytes;
  return magnitude < KiB ? withSuffix(bytes, 1000n, DECIMAL_UNITS) : withSuffix(bytes, KiB, BINARY_UNITS);
}

/**
 * A short text for messages: exact in binary units where a whole number or quarters of one say it (10Gi, 9.5Gi,
 * 2560Mi is 2.5Gi), else rounded in decimal units (1.1GB). For bytes >= 0.
 */
export function formatForPeople(bytes: bigint): string {
  return exactBinary(bytes) ?? roundedDecimal(bytes);
}

function withSuffix(bytes: bigint, step: bigint, units: readonly string[]): string {
  let count = bytes;
  let unit = 0;
  while (count !== 0n && count % step === 0n && unit < units.length - 1) {
    count /= step;
    unit++;
  }
  return `${count}${units[unit]}`;
}

function exactBinary(bytes: bigint): string | null {
  if (bytes < KiB) return `${bytes}B`;
  for (let unit = BINARY_UNITS.length - 1; unit >= 1; unit--) {
    const size = BINARY_SIZES[unit]!;
    if (bytes < size) continue;
    const quarters = (bytes * 4n) / size;
    if (quarters * size !== bytes * 4n) continue;
    return quarters / 4n < MAX_COUNT_FOR_PEOPLE
      ? `${quarters / 4n}${['', '.25', '.5', '.75'][Number(quarters % 4n)]}${BINARY_UNITS[unit]}`
      : null;
  }
  return null;
}

function roundedDecimal(bytes: bigint): string {
  for (let unit = 1; unit < DECIMAL_UNITS.length; unit++) {
    const size = DECIMAL_SIZES[unit]!;
    /** Two digits after the point under ten, one above. */
    const parts = bytes < 10n * size ? 100n : 10n;
    const count = (bytes * parts + size / 2n) / size;
    if (count >= 1000n * parts && unit < DECIMAL_UNITS.length - 1) continue;
    const fraction = String(count % parts)
      .padStart(parts === 100n ? 2 : 1, '0')
      .replace(/0+$/, '');
    return `${count / parts}${fraction === '' ? '' : `.${fraction}`}${DECIMAL_UNITS[unit]}B`;
  }
  return `${bytes}B`;
}
