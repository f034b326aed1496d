import { ByteView, OutOfBoundsError } from '../bytes/view.ts';
import type { Reading } from './image.ts';
import type { ContentSize } from './wrapper.ts';
import { readXzIndex, XZ_EDGE_LENGTH, XZ_FOOTER_MAGIC, xzCrcHolds } from './xz-format.ts';

/** What adding up a file's indexes may cost; beyond it the size stays unknown. Bytes, but for counts. */
export const XZ_INDEX_LIMITS = {
  tailLength: 16 * 1024,
  /** An index of 256 KiB is one of some 30,000 blocks. */
  maxIndexLength: 256 * 1024,
  maxStreams: 64,
  maxReads: 6,
} as const;

/** The end of a file, of which more is read backwards as it is needed. */
class Tail {
  #reads = 0;
  #offset: bigint;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(fileLength: bigint) {
    this.#offset = fileLength;
  }

  /** The `length` bytes before `end`; null where they are not to be had. */
  *before(end: bigint, length: number): Reading<ByteView | null> {
    const start = end - BigInt(length);
    if (start < 0n) return null;
    if (start < this.#offset) {
      if (this.#reads++ === XZ_INDEX_LIMITS.maxReads) return null;
      const wanted = length > XZ_INDEX_LIMITS.tailLength ? length : XZ_INDEX_LIMITS.tailLength;
      this.#offset = end > BigInt(wanted) ? end - BigInt(wanted) : 0n;
      this.#bytes = yield { offset: this.#offset, length: Number(end - this.#offset) };
    }
    const from = Number(start - this.#offset);
    if (from + length > this.#bytes.length) return null;
    return new ByteView(this.#bytes.subarray(from, from + length));
  }
}

type Stream =
  | { readonly kind: 'stream'; readonly start: bigint; readonly size: bigint }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'broken'; readonly detail: string };

/** The sum of all streams' indexes, read from the file's end backwards. */
export function* xzContentSize(fileLength: bigint): Reading<ContentSize> {
  const tail = new Tail(fileLength);
  let end = fileLength;
  let size = 0n;
  for (let streams = 0; streams < XZ_INDEX_LIMITS.maxStreams; streams++) {
    const stream = yield* streamBefore(end, tail);
    if (stream.kind === 'unknown') break;
    if (stream.kind === 'broken') return stream;
    size += stream.size;
    end = stream.start;
    if (end === 0n) return { kind: 'exact', bytes: size };
  }
  return size === 0n ? { kind: 'unknown' } : { kind: 'at-least', bytes: size };
}

function* streamBefore(fileEnd: bigint, tail: Tail): Reading<Stream> {
  let end = fileEnd;
  let footer = yield* tail.before(end, XZ_EDGE_LENGTH);
  // Stream padding: zeros in fours.
  while (footer !== null && footer.u32le(XZ_EDGE_LENGTH - 4) === 0) {
    end -= 4n;
    footer = yield* tail.before(end, XZ_EDGE_LENGTH);
  }
  if (footer === null) return { kind: 'unknown' };
  if (!footer.startsWith(XZ_FOOTER_MAGIC, 10) || !xzCrcHolds(footer, 4, 6, 0))
    return { kind: 'broken', detail: 'xz that does not end in its footer' };

  const indexLength = (footer.u32le(4) + 1) * 4;
  if (indexLength > XZ_INDEX_LIMITS.maxIndexLength) return { kind: 'unknown' };
  const indexEnd = end - BigInt(XZ_EDGE_LENGTH);
  const view = yield* tail.before(indexEnd, indexLength);
  if (view === null) return { kind: 'unknown' };
  const index = indexIn(view);
  if (index === null || index.length !== indexLength) return { kind: 'broken', detail: 'xz index' };
  const start = indexEnd - BigInt(indexLength) - index.packedLength - BigInt(XZ_EDGE_LENGTH);
  return start < 0n ? { kind: 'broken', detail: 'xz index' } : { kind: 'stream', start, size: index.size };
}

function indexIn(view: ByteView) {
  try {
    return readXzIndex(view, 0);
  } catch (error) {
    if (error instanceof OutOfBoundsError) return null;
    throw error;
  }
}
