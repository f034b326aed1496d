/** Bytes of a stream, taken in the portions that a reader wants. */
export class ByteQueue {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  /** The next `length` bytes; fewer only where the stream ends. */
  async take(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let missing = length;
    while (missing > 0 && (await this.#fill())) {
      const part = this.#held.subarray(0, missing);
      parts.push(part);
      this.#held = this.#held.subarray(part.length);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  /** Passes over `length` bytes; false where the stream ends before that. */
  async skip(length: bigint): Promise<boolean> {
    let missing = length;
    while (missing > 0n) {
      if (!(await this.#fill())) return false;
      const part = missing < BigInt(this.#held.length) ? Number(missing) : this.#held.length;
      this.#held = this.#held.subarray(part);
      missing -= BigInt(part);
    }
    return true;
  }

  /** The next bytes, as many as come at once; undefined at the end. */
  async chunk(): Promise<Uint8Array | undefined> {
    if (!(await this.#fill())) return undefined;
    const chunk = this.#held;
    this.#held = new Uint8Array(0);
    return chunk;
  }

  /** Ends the stream, and with it whatever it came from. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #fill(): Promise<boolean> {
    while (this.#held.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return false;
      this.#held = value;
    }
    return true;
  }
}
