import { setTimeout } from 'node:timers/promises';

/** Time, as an argument. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Rejects where `signal` aborts first. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
};

/** One pass over things to read: it gives up at the deadline, or as soon as `signal` aborts. */
export interface Pass {
  readonly clock: Clock;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}
