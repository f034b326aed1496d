import type { ByteRange } from '../bytes/range.ts';
import type { ByteSource } from '../bytes/source.ts';
import type { Reading } from '../image/image.ts';

/** Bytes of a file that are kept while it is read; the first read is kept in any case. */
const MAX_KEPT = 4 * 1024 * 1024;

interface Piece {
  readonly offset: bigint;
  readonly bytes: Uint8Array;
}

/**
 * Runs a reading to its end over a source. Bytes that were fetched once cost no second request, whether a range
 * lies inside of them or begins there. Throws what the source throws; the reading is ended in any case. The
 * source stays open: it is its owner's to close.
 */
export async function driveReading<T>(reading: Reading<T>, source: ByteSource): Promise<T> {
  const kept = new KeptBytes(source);
  try {
    let step = reading.next();
    while (!step.done) step = reading.next(await kept.read(step.value));
    return step.value;
  } finally {
    reading.return(undefined as T);
  }
}

class KeptBytes {
  readonly #source: ByteSource;
  readonly #pieces: Piece[] = [];
  #total = 0;
  /** Where the file ends, once a read came back short. */
  #end: bigint | null;

  constructor(source: ByteSource) {
    this.#source = source;
    this.#end = source.size;
  }

  async read(range: ByteRange): Promise<Uint8Array> {
    const length = this.#available(range);
    if (length === 0) return new Uint8Array(0);
    const piece = this.#pieces.find(
      ({ offset, bytes }) => offset <= range.offset && range.offset < offset + BigInt(bytes.length),
    );
    if (piece === undefined) return this.#fetch({ offset: range.offset, length });
    const from = Number(range.offset - piece.offset);
    const known = piece.bytes.subarray(from, from + length);
    if (known.length === length) return known;
    const rest = await this.#fetch({
      offset: range.offset + BigInt(known.length),
      length: length - known.length,
    });
    return Buffer.concat([known, rest]);
  }

  /** How much of the range the file has, as far as its end is known. */
  #available(range: ByteRange): number {
    if (this.#end === null) return range.length;
    const left = this.#end - range.offset;
    if (left <= 0n) return 0;
    return left < BigInt(range.length) ? Number(left) : range.length;
  }

  async #fetch(range: ByteRange): Promise<Uint8Array> {
    const bytes = await this.#readFully(range);
    if (bytes.length < range.length) this.#end = range.offset + BigInt(bytes.length);
    if (bytes.length > 0 && (this.#pieces.length === 0 || this.#total + bytes.length <= MAX_KEPT)) {
      this.#pieces.push({ offset: range.offset, bytes });
      this.#total += bytes.length;
    }
    return bytes;
  }

  /** A short answer is the file's end only where its size is unknown; else it is asked for the rest. */
  async #readFully(range: ByteRange): Promise<Uint8Array> {
    const first = (await this.#source.read(range)).subarray(0, range.length);
    if (first.length === range.length || this.#source.size === null) return first;
    const parts = [first];
    let have = first.length;
    while (have < range.length && parts.at(-1)!.length > 0) {
      const rest = { offset: range.offset + BigInt(have), length: range.length - have };
      const part = (await this.#source.read(rest)).subarray(0, rest.length);
      parts.push(part);
      have += part.length;
    }
    return Buffer.concat(parts);
  }
}
