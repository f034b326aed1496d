import type { Quantity, QuantityParse } from './quantity.ts';

/** Kubernetes documents no quantity over the greatest int64. */
export const MAX_BYTES = (1n << 63n) - 1n;

const NANOS_PER_BYTE = 1_000_000_000n;
const NANO_PLACES = 9;
const MAX_NANOS = MAX_BYTES * NANOS_PER_BYTE;

/** 10^20 is over MAX_BYTES, so a number with more digits before its point is capped before it is computed. */
const MAX_INTEGER_DIGITS = 20;

/**
 * Digits that are computed with. All that lie further right are worth less than 10^-70 of a byte, and count only
 * as "more than nothing", so a text of a million digits costs no more than one of a hundred.
 */
const MAX_SIGNIFICANT_DIGITS = 100;

/** An exponent has to be an int64, of at most 19 digits, to be read at all. */
const MAX_EXPONENT_DIGITS = 19;

/** Longer texts are remembered in nanos, so that no message has to carry them. */
const MAX_REMEMBERED_TEXT = 64;

const GRAMMAR =
  /^([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?)([0-9]+))?$/;

/** Powers of ten of the decimal suffixes. */
const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);

/** Powers of two of the binary suffixes. */
const BINARY_SUFFIXES: ReadonlyMap<string, bigint> = new Map([
  ['Ki', 10n],
  ['Mi', 20n],
  ['Gi', 30n],
  ['Ti', 40n],
  ['Pi', 50n],
  ['Ei', 60n],
]);

/**
 * Reads a quantity as the API server does: a string, or a JSON number. More exact than a billionth is rounded away
 * from zero, more than 2^63 - 1 is capped. A reason never repeats the text.
 */
export function parseQuantity(value: unknown): QuantityParse {
  if (typeof value === 'number') {
    return Number.isFinite(value) ? parseText(String(value)) : refuse('it is not a finite number');
  }
  if (typeof value !== 'string') return refuse('it is neither a string nor a number');
  return parseText(value);
}

/** -1, 0 or 1, as a is less than, equal to or greater than b. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

/** Whole bytes, a part of a byte rounded away from zero. */
export function bytesOf(quantity: Quantity): bigint {
  const { nanos } = quantity;
  const magnitude = divideUp(nanos < 0n ? -nanos : nanos, NANOS_PER_BYTE);
  return nanos < 0n ? -magnitude : magnitude;
}

function parseText(text: string): QuantityParse {
  if (text === '') return refuse('it is empty');
  const match = GRAMMAR.exec(text);
  if (match === null) return refuse('it is not a number with an optional unit such as Mi, Gi, M or G');
  const [, sign, integer = '', fraction = '', suffix = '', exponentSign, exponentDigits] = match;
  let tens = DECIMAL_SUFFIXES.get(suffix) ?? 0;
  if (exponentDigits !== undefined) {
    const exponent = parseExponent(exponentSign === '-', exponentDigits);
    if (exponent === null) return refuse('its exponent is out of range');
    tens = exponent;
  }
  const magnitude = magnitudeInNanos(integer, fraction, tens, BINARY_SUFFIXES.get(suffix) ?? 0n);
  const nanos = sign === '-' ? -magnitude : magnitude;
  return { ok: true, quantity: { text: text.length > MAX_REMEMBERED_TEXT ? `${nanos}n` : text, nanos } };
}

/** Kubernetes reads an int64 and keeps its low 32 bits. */
function parseExponent(negative: boolean, digits: string): number | null {
  const significant = withoutLeadingZeros(digits);
  if (significant.length > MAX_EXPONENT_DIGITS) return null;
  const value = BigInt(`0${significant}`) * (negative ? -1n : 1n);
  if (value !== BigInt.asIntN(64, value)) return null;
  return Number(BigInt.asIntN(32, value));
}

/** integer.fraction x 10^tens x 2^twos in nanos, rounded up and capped. */
function magnitudeInNanos(integer: string, fraction: string, tens: number, twos: bigint): bigint {
  const digits = withoutLeadingZeros(integer + fraction);
  if (digits === '') return 0n;
  /** The number is 0.digits x 10^point x 2^twos. */
  const point = digits.length - fraction.length + tens;
  if (point > MAX_INTEGER_DIGITS) return MAX_NANOS;
  const kept = digits.slice(0, MAX_SIGNIFICANT_DIGITS);
  const places = point - kept.length + NANO_PLACES;
  if (places + kept.length < -MAX_SIGNIFICANT_DIGITS) return 1n;
  const scaled = BigInt(kept) << twos;
  const isCut = hasNonZero(digits, MAX_SIGNIFICANT_DIGITS);
  const nanos =
    places >= 0 ? scaled * 10n ** BigInt(places) : divideUp(scaled, 10n ** BigInt(-places), isCut);
  return nanos > MAX_NANOS ? MAX_NANOS : nanos;
}

/** dividend / divisor, rounded up; `more` says that the dividend is in truth a little greater. */
function divideUp(dividend: bigint, divisor: bigint, more = false): bigint {
  const quotient = dividend / divisor;
  return more || quotient * divisor !== dividend ? quotient + 1n : quotient;
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (start < digits.length && digits[start] === '0') start++;
  return digits.slice(start);
}

function hasNonZero(digits: string, from: number): boolean {
  for (let at = from; at < digits.length; at++) if (digits[at] !== '0') return true;
  return false;
}

function refuse(reason: string): QuantityParse {
  return { ok: false, reason };
}
