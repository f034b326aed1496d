/** Between two attempts at one object, whatever came of the first. */
const REST_MS = 60 * 60 * 1000;

interface Last {
  readonly at: number;
  /** The floors that it was last written again for; null where it never was. */
  readonly step: string | null;
}

/**
 * When an object may be written again: once for each step of its floors, and at most once an hour. Kept in memory: who
 * becomes the leader begins anew, and finds what his predecessor wrote at its floor.
 */
export class ReconcilePace {
  readonly #last = new Map<string, Last>();

  /** `step` names the floors that it is to be written for; `now` in milliseconds since the epoch. */
  mayTry(uid: string, step: string, now: number): boolean {
    const last = this.#last.get(uid);
    return last === undefined || (now - last.at >= REST_MS && last.step !== step);
  }

  tried(uid: string, now: number): void {
    this.#last.set(uid, { at: now, step: this.#last.get(uid)?.step ?? null });
  }

  written(uid: string, step: string, now: number): void {
    this.#last.set(uid, { at: now, step });
  }

  /** Forgets what rests no longer and is not among `present`: objects come and go. */
  keepOnly(present: ReadonlySet<string>, now: number): void {
    for (const [uid, { at }] of this.#last)
      if (!present.has(uid) && now - at >= REST_MS) this.#last.delete(uid);
  }
}
