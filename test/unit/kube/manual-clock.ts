import type { Clock, Pass } from '../../../src/kube/clock.ts';

/** A clock that moves only when it is told to; who sleeps wakes when his time has come. */
export class ManualClock implements Clock {
  #now = Date.parse('2027-01-31T12:00:00Z');
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  readonly now = (): number => this.#now;

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const sleeper = { until: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      });
    });

  advance(ms: number): void {
    this.#now += ms;
    for (const sleeper of this.#sleepers) {
      if (sleeper.until > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  pass(ms = 60_000): Pass {
    return { clock: this, deadline: this.#now + ms, signal: new AbortController().signal };
  }
}
