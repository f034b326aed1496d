/** Remembers the results of asynchronous work by key: bounded, each for its own time, one flight at a time. */
export class FlightCache<T> {
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #kept = new Map<string, { readonly value: T; readonly until: number }>();
  readonly #flights = new Map<string, Promise<T>>();

  /** `now` in milliseconds, of any epoch. */
  constructor(capacity: number, now: () => number) {
    this.#capacity = capacity;
    this.#now = now;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** The remembered value, if it is still good. */
  peek(key: string): T | undefined {
    const kept = this.#kept.get(key);
    return kept && this.#now() < kept.until ? kept.value : undefined;
  }

  /** The remembered value, or that of `load`, which is kept for as many milliseconds as `keepFor` says of it. */
  async get(key: string, load: () => Promise<T>, keepFor: (value: T) => number): Promise<T> {
    const kept = this.peek(key);
    if (kept !== undefined) return kept;
    const flight = this.#flights.get(key);
    if (flight) return flight;
    const started = load().then((value) => {
      this.#keep(key, value, keepFor(value));
      return value;
    });
    this.#flights.set(key, started);
    try {
      return await started;
    } finally {
      this.#flights.delete(key);
    }
  }

  #keep(key: string, value: T, milliseconds: number): void {
    this.#kept.delete(key);
    if (milliseconds <= 0) return;
    // A Map iterates in the order of insertion: the first entry is the oldest.
    if (this.#kept.size >= this.#capacity) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(key, { value, until: this.#now() + milliseconds });
  }
}
