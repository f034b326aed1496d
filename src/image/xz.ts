import { ByteView, OutOfBoundsError } from '../bytes/view.ts';
import { BadLzmaError } from './lzma.ts';
import { decodeLzma2 } from './lzma2.ts';
import { type Unwrapped, WRAPPER_LIMITS, type Wrapper } from './wrapper.ts';
import {
  readXzIndex,
  readXzInteger,
  XZ_EDGE_LENGTH,
  XZ_MAGIC,
  xzCheckLength,
  xzCrcHolds,
} from './xz-format.ts';
import { xzContentSize } from './xz-index.ts';

const LZMA2_FILTER = 0x21n;
const MAX_DICTIONARY_CODE = 40;

/** The file is no .xz that CDI's decoder reads; the message says what it stumbles over. */
class BadXzError extends Error {
  readonly code = 'bad-xz';
}

/** Decodes streams and blocks from the file's start until there are `wanted` bytes or the input ends. */
class XzDecoder {
  readonly #view: ByteView;
  readonly #wanted: number;
  readonly #parts: Uint8Array[] = [];
  #at = 0;
  length = 0;

  constructor(input: Uint8Array, wanted: number) {
    this.#view = new ByteView(input);
    this.#wanted = wanted;
  }

  get bytes(): Uint8Array {
    return this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
  }

  /** True where it came to the input's end having read whole streams only. */
  run(): boolean {
    while (this.length < this.#wanted) {
      if (!this.#stream()) return false;
      while (this.#at + 4 <= this.#view.length && this.#view.u32le(this.#at) === 0) this.#at += 4;
      if (this.#at === this.#view.length) return true;
    }
    return false;
  }

  /** One stream; false where enough was decoded before its end. */
  #stream(): boolean {
    const start = this.#at;
    if (!XZ_MAGIC.every((byte, i) => byte === this.#view.u8(start + i))) throw new BadXzError('xz magic');
    const checkType = this.#view.u8(start + 7);
    if (this.#view.u8(start + 6) !== 0 || checkType > 0x0f) throw new BadXzError('xz stream flags');
    if (!xzCrcHolds(this.#view, start + 6, 2, start + 8)) throw new BadXzError('xz stream header');
    this.#at += XZ_EDGE_LENGTH;
    while (this.#view.u8(this.#at) !== 0) if (!this.#block(xzCheckLength(checkType))) return false;
    const index = readXzIndex(this.#view, this.#at);
    if (index === null) throw new BadXzError('xz index');
    this.#at += index.length;
    this.#view.slice(this.#at, XZ_EDGE_LENGTH);
    this.#at += XZ_EDGE_LENGTH;
    return true;
  }

  /** One block; false where it does not end in what was decoded. */
  #block(checkLength: number): boolean {
    const start = this.#blockHeader();
    const block = decodeLzma2(this.#view.bytes, start, this.#wanted - this.length);
    this.#parts.push(block.bytes);
    this.length += block.bytes.length;
    if (block.end === null) return false;
    this.#at += Math.ceil((block.end - this.#at) / 4) * 4 + checkLength;
    return true;
  }

  /** Checks a block's header and says where its data starts. */
  #blockHeader(): number {
    const at = this.#at;
    const length = (this.#view.u8(at) + 1) * 4;
    if (!xzCrcHolds(this.#view, at, length - 4, at + length - 4)) throw new BadXzError('xz block header');
    const flags = this.#view.u8(at + 1);
    if ((flags & 0x3c) !== 0) throw new BadXzError('xz block flags');
    if ((flags & 0x03) !== 0) throw new BadXzError('xz filters besides LZMA2');
    let here = at + 2;
    for (const isThere of [(flags & 0x40) !== 0, (flags & 0x80) !== 0])
      if (isThere) here = this.#integer(here).end;
    const filter = this.#integer(here);
    const properties = this.#integer(filter.end);
    if (filter.value !== LZMA2_FILTER || properties.value !== 1n)
      throw new BadXzError('xz filters besides LZMA2');
    if (this.#view.u8(properties.end) > MAX_DICTIONARY_CODE) throw new BadXzError('xz dictionary size');
    return at + length;
  }

  #integer(at: number): { value: bigint; end: number } {
    const integer = readXzInteger(this.#view, at);
    if (integer === null) throw new BadXzError('xz block header');
    return integer;
  }
}

function decompress(input: Uint8Array, complete: boolean, wanted: number): Unwrapped {
  const decoder = new XzDecoder(input, Math.min(wanted, WRAPPER_LIMITS.maxOutput));
  try {
    const ended = decoder.run() && complete;
    if (complete && !ended && decoder.length < wanted) return { kind: 'broken', detail: 'xz cut short' };
    return { kind: 'bytes', bytes: decoder.bytes, ended };
  } catch (error) {
    if (error instanceof BadXzError) return { kind: 'broken', detail: error.message };
    if (error instanceof BadLzmaError) return { kind: 'broken', detail: 'xz data' };
    if (!(error instanceof OutOfBoundsError)) throw error;
    return complete
      ? { kind: 'broken', detail: 'xz cut short' }
      : { kind: 'bytes', bytes: decoder.bytes, ended: false };
  }
}

/** .xz with LZMA2 only, as CDI's decoder; the size of the content is in the indexes at its end. */
export const XZ: Wrapper = {
  name: 'xz',
  recognise: (prefix) => prefix.startsWith(XZ_MAGIC),
  decompress,
  *contentSize(_input, options) {
    return options.storedSize === null ? { kind: 'unknown' } : yield* xzContentSize(options.storedSize);
  },
};
