import { formatQuantity } from '../quantity/format.ts';
import { bytesOf, parseQuantity } from '../quantity/parse.ts';
import type { Quantity } from '../quantity/quantity.ts';
import type { FloorCheck, RequestRule } from './floor.ts';

/** What stands at limits.memory and requests.memory, unread. */
export interface MemoryValues {
  readonly limit: unknown;
  readonly request: unknown;
}

/** What a missing limit stands for: no limit at all, or so many bytes; `because` says so in words. */
export interface AbsentLimit {
  readonly bytes: bigint | null;
  readonly because: string;
}

export interface LimitRule {
  /** Bytes. */
  readonly floor: bigint;
  /** Whole per cent. */
  readonly stickyPercent: number;
  readonly requests: RequestRule;
  readonly absent: AbsentLimit;
}

export type LimitVerdict =
  | ({
      readonly ok: true;
      /** What to write; null where the value stays. */
      readonly writes: { readonly limit: unknown; readonly request: unknown } | null;
    } & Pick<FloorCheck, 'limit' | 'wanted' | 'state' | 'because'>)
  | { readonly ok: false; readonly value: keyof MemoryValues; readonly reason: string };

/** A value that may be written, with what it comes to. */
interface Candidate {
  readonly raw: unknown;
  readonly text: string;
  readonly bytes: bigint;
}

/** Holds one memory limit against its floor. It is only ever raised, and never ends under its request. */
export function judgeLimit(sent: MemoryValues, stored: MemoryValues | null, rule: LimitRule): LimitVerdict {
  const limit = read(sent.limit);
  if (!limit.ok) return { ok: false, value: 'limit', reason: limit.reason };
  const found =
    limit.quantity === null ? null : { bytes: bytesOf(limit.quantity), text: limit.quantity.text };
  const settled = settle(found, rule);
  if (settled !== null) {
    return { ok: true, limit: found, wanted: found?.text ?? null, ...settled, writes: null };
  }
  // Read only now: a request that cannot be read is no concern of ours while the limit stays.
  const request = read(sent.request);
  if (!request.ok) return { ok: false, value: 'request', reason: request.reason };

  const kept = keptLimit(stored, rule);
  const target = kept ?? {
    raw: formatQuantity(rule.floor),
    text: formatQuantity(rule.floor),
    bytes: rule.floor,
  };
  const demanded = request.quantity === null ? null : candidate(sent.request, request.quantity);
  const isOverTarget = demanded !== null && demanded.bytes > target.bytes;
  const wanted = isOverTarget ? demanded : target;
  const moves = requestMoves(limit.quantity, request.quantity, wanted.bytes, rule.requests);
  return {
    ok: true,
    limit: found,
    wanted: wanted.text,
    state: wanted === kept ? 'kept' : 'below',
    because: whyRaised(found === null ? rule.absent.because : null, wanted === kept, isOverTarget, rule),
    writes: { limit: wanted.raw, request: moves ? requestValue(wanted, stored) : undefined },
  };
}

/** The state of a limit that stays as it is; null where it has to be raised. */
function settle(found: FloorCheck['limit'], rule: LimitRule): Pick<FloorCheck, 'state' | 'because'> | null {
  if (found === null) {
    if (rule.absent.bytes === null) return { state: 'unlimited', because: rule.absent.because };
    return rule.absent.bytes >= rule.floor ? { state: 'ok', because: rule.absent.because } : null;
  }
  if (found.bytes === 0n) return { state: 'unlimited', because: 'zero means no limit' };
  return found.bytes >= rule.floor ? { state: 'ok', because: null } : null;
}

function whyRaised(
  absent: string | null,
  isKept: boolean,
  isOverTarget: boolean,
  rule: LimitRule,
): string | null {
  const reasons = [
    absent,
    isKept ? `the stored limit is at most ${rule.stickyPercent} % over the floor` : null,
    isOverTarget ? 'the request is higher than that' : null,
  ].filter((reason) => reason !== null);
  return reasons.length === 0 ? null : reasons.join('; ');
}

/** The stored limit where it lies inside the sticky band, as it is written there: the same bytes make no new revision. */
function keptLimit(stored: MemoryValues | null, rule: LimitRule): Candidate | null {
  const limit = read(stored?.limit);
  if (!limit.ok || limit.quantity === null) return null;
  const old = candidate(stored?.limit, limit.quantity);
  const isInside =
    old.bytes >= rule.floor && old.bytes * 100n <= rule.floor * (100n + BigInt(rule.stickyPercent));
  return isInside ? old : null;
}

function requestMoves(
  limit: Quantity | null,
  request: Quantity | null,
  wanted: bigint,
  rule: RequestRule,
): boolean {
  if (request !== null && bytesOf(request) >= wanted) return false;
  switch (rule) {
    case 'keep':
      return false;
    case 'follow':
      return true;
    case 'followWhenEqual':
      return limit !== null && request !== null && limit.nanos === request.nanos;
  }
}

/** As the stored request is written where it comes to the same. */
function requestValue(wanted: Candidate, stored: MemoryValues | null): unknown {
  const old = read(stored?.request);
  const isSame = old.ok && old.quantity !== null && bytesOf(old.quantity) === wanted.bytes;
  return isSame ? stored?.request : wanted.raw;
}

function candidate(raw: unknown, quantity: Quantity): Candidate {
  return { raw, text: quantity.text, bytes: bytesOf(quantity) };
}

type Read =
  | { readonly ok: true; readonly quantity: Quantity | null }
  | { readonly ok: false; readonly reason: string };

function read(raw: unknown): Read {
  if (raw == null) return { ok: true, quantity: null };
  const parse = parseQuantity(raw);
  if (!parse.ok) return parse;
  return parse.quantity.nanos < 0n ? { ok: false, reason: 'it is negative' } : parse;
}
