import type { Clock, Pass } from './clock.ts';
import { KubeError } from './failures.ts';

/** How one pass went; null where it went well. */
export interface PollEvent<Name extends string> {
  readonly what: Name;
  readonly ms: number;
  /** A KubeError, or a fault of ours. */
  readonly error: Error | null;
}

export interface PollOptions<Name extends string> {
  readonly name: Name;
  /** Read before each wait. */
  readonly intervalMs: () => number;
  /** For one pass. */
  readonly deadlineMs: number;
  /** From 0 to under 1, so that many processes do not ask at once. */
  readonly jitter: () => number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly run: (pass: Pass) => Promise<void>;
  readonly observe: (event: PollEvent<Name>) => void;
}

export interface Poll {
  /** Milliseconds since the epoch at which the last good pass began; null where none was good. */
  readonly readAt: () => number | null;
  /** Of the last pass; null where it went well, or there was none. */
  readonly error: () => Error | null;
  /** Settles when `signal` has aborted and the last pass has ended; never rejects. */
  readonly ended: Promise<void>;
}

/** As long as nothing has been read, it is tried again soon. */
const FIRST_RETRY_MS = 1000;
/** Times the interval. */
const LONGEST_BACK_OFF = 8;

/** Runs passes one after another until the signal aborts; whatever a pass throws is only observed. */
export function startPolling<Name extends string>(options: PollOptions<Name>): Poll {
  const { name, intervalMs, deadlineMs, jitter, clock, signal, run, observe } = options;
  let readAt: number | null = null;
  let lastError: Error | null = null;
  let failures = 0;

  const pass = async () => {
    const begun = clock.now();
    try {
      await run({ clock, deadline: begun + deadlineMs, signal });
      readAt = begun;
      lastError = null;
      failures = 0;
    } catch (error) {
      lastError = error instanceof Error ? error : new Error('not an error');
      failures += 1;
    }
    if (signal.aborted) return;
    try {
      observe({ what: name, ms: clock.now() - begun, error: lastError });
    } catch {
      // Reading goes on, whatever befalls those who watch it.
    }
  };
  const loop = async () => {
    while (!signal.aborted) {
      await pass();
      const waitMs = delayAfter({
        intervalMs: intervalMs(),
        failures,
        hasRead: readAt !== null,
        retryAfterMs: lastError instanceof KubeError ? lastError.retryAfterMs : null,
        jitter: jitter(),
      });
      await clock.sleep(waitMs, signal);
    }
  };
  return {
    readAt: () => readAt,
    error: () => lastError,
    // The sleep rejects when it is over.
    ended: loop().catch(() => {}),
  };
}

export interface Delay {
  readonly intervalMs: number;
  /** In a row, the last one included. */
  readonly failures: number;
  readonly hasRead: boolean;
  readonly retryAfterMs: number | null;
  readonly jitter: number;
}

/** Milliseconds until the next pass: the interval, give or take a tenth; longer with each failure in a row. */
export function delayAfter({ intervalMs, failures, hasRead, retryAfterMs, jitter }: Delay): number {
  const doublings = Math.min(Math.max(0, failures - 1), 30);
  const base =
    failures === 0
      ? intervalMs
      : hasRead
        ? intervalMs * Math.min(2 ** doublings, LONGEST_BACK_OFF)
        : Math.min(FIRST_RETRY_MS * 2 ** doublings, intervalMs);
  return Math.round(Math.max(base * (0.9 + 0.2 * jitter), retryAfterMs ?? 0));
}
