/** Runs tasks with at most `all` at once and `perKey` of one key; waiting ones queue up to `queue`, then are refused. */
export class Limiter {
  readonly #limits: { readonly all: number; readonly perKey: number; readonly queue: number };
  readonly #running = new Map<string, number>();
  readonly #waiting: { readonly key: string; readonly start: () => void }[] = [];
  #total = 0;

  constructor(limits: { readonly all: number; readonly perKey: number; readonly queue: number }) {
    this.#limits = limits;
  }

  /** The task's result; `'busy'` where neither a place nor a place in the queue is free, or `signal` ends first. */
  async run<T>(key: string, signal: AbortSignal, task: () => Promise<T>): Promise<T | 'busy'> {
    if (!(await this.#enter(key, signal))) return 'busy';
    try {
      return await task();
    } finally {
      this.#leave(key);
    }
  }

  #isFree(key: string): boolean {
    return this.#total < this.#limits.all && (this.#running.get(key) ?? 0) < this.#limits.perKey;
  }

  #take(key: string): void {
    this.#total += 1;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  #enter(key: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#isFree(key)) {
      this.#take(key);
      return Promise.resolve(true);
    }
    if (this.#waiting.length >= this.#limits.queue) return Promise.resolve(false);
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        resolve(false);
      };
      const entry = {
        key,
        start: () => {
          signal.removeEventListener('abort', giveUp);
          this.#take(key);
          resolve(true);
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(entry);
    });
  }

  #leave(key: string): void {
    this.#total -= 1;
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left === 0) this.#running.delete(key);
    else this.#running.set(key, left);
    const next = this.#waiting.findIndex((entry) => this.#isFree(entry.key));
    if (next >= 0) this.#waiting.splice(next, 1)[0]!.start();
  }
}
