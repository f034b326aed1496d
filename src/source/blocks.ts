import type { ByteRange } from '../bytes/range.ts';

/** Fetches `range`; fewer bytes only where the file ends. */
export type Fetch = (range: ByteRange) => Promise<Uint8Array>;

interface Block {
  readonly offset: bigint;
  readonly bytes: Uint8Array;
}

/**
 * The parts of one file that were fetched so far. What is missing is fetched in whole aligned blocks, for a
 * parser that reads here reads next door as well, and a request costs more than its bytes.
 */
export class Blocks {
  readonly #blockSize: number;
  readonly #held: Block[] = [];

  /** `blockSize` in bytes, a power of two. */
  constructor(blockSize: number) {
    this.#blockSize = blockSize;
  }

  /** Keeps `bytes`, found at `offset`. */
  hold(offset: bigint, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#held.push({ offset, bytes });
  }

  /**
   * The bytes of `range`, which lies before `end`, the file's length if that is known. At most `affordable`
   * bytes are asked for, unless `range` itself needs more.
   */
  async read(range: ByteRange, end: bigint | null, affordable: number, fetch: Fetch): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let missing = range.length;
    while (missing > 0) {
      const at = range.offset + BigInt(range.length - missing);
      const found = this.#from(at) ?? (await this.#fetched(at, missing, end, affordable, fetch));
      if (found.length === 0) break;
      const part = found.subarray(0, missing);
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  /** What is held from `at` on; undefined where nothing is. */
  #from(at: bigint): Uint8Array | undefined {
    const block = this.#held.find(({ offset, bytes }) => offset <= at && at < offset + BigInt(bytes.length));
    return block?.bytes.subarray(Number(at - block.offset));
  }

  async #fetched(at: bigint, missing: number, end: bigint | null, affordable: number, fetch: Fetch) {
    const size = BigInt(this.#blockSize);
    const wanted = at + BigInt(missing);
    const aligned = at - (at % size);
    const start = this.#from(aligned) === undefined ? aligned : at;
    const roundedUp = ((wanted + size - 1n) / size) * size;
    const stop = end !== null && end < roundedUp ? end : roundedUp;
    const whole = Number(stop - start);
    const [offset, length] = whole <= affordable ? [start, whole] : [at, missing];
    const bytes = await fetch({ offset, length });
    this.hold(offset, bytes);
    return bytes.subarray(Number(at - offset));
  }
}
