import { type SourceBudget, SourceError } from './source.ts';

/** What one probe has spent of its budget, over all its connections. */
export class Spending {
  readonly #budget: SourceBudget;
  #bytesRead = 0;
  #requests = 0;

  constructor(budget: SourceBudget) {
    this.#budget = budget;
  }

  get cost(): { readonly bytesRead: number; readonly requests: number } {
    return { bytesRead: this.#bytesRead, requests: this.#requests };
  }

  /** Bytes that may still be read. */
  get bytesLeft(): number {
    return Math.max(0, this.#budget.maxBytes - this.#bytesRead);
  }

  /** Before a request is sent. Throws `over-budget`. */
  request(): void {
    if (this.#requests >= this.#budget.maxRequests) throw new SourceError('over-budget', 'requests');
    this.#requests++;
  }

  /** Before bytes are asked for. Throws `over-budget`. */
  afford(bytes: number): void {
    if (bytes > this.bytesLeft) throw new SourceError('over-budget', 'bytes');
  }

  /** After they came: a server may send more than it was asked for, and that was read as well. */
  received(bytes: number): void {
    this.#bytesRead += bytes;
  }
}
