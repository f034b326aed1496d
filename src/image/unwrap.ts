import type { ByteRange } from '../bytes/range.ts';
import type { ByteView } from '../bytes/view.ts';
import { unusable, wholeSectors } from './format.ts';
import type { ImageFacts, ProbeOptions, Reading } from './image.ts';
import { type ContentSize, UnreachableBytesError, WRAPPER_LIMITS, type Wrapper } from './wrapper.ts';

/**
 * What a compressed file holds: `inner` reads its content, as far as that can be decompressed within
 * WRAPPER_LIMITS. `prefix` is the file's first bytes. Where the content is raw, V is what the file says of its
 * content's length, if anything.
 */
export function* unwrap(
  wrapper: Wrapper,
  prefix: ByteView,
  options: ProbeOptions,
  inner: Reading<ImageFacts>,
): Reading<ImageFacts> {
  const content = new Content(wrapper, prefix.bytes, options.storedSize);
  const facts = yield* readContent(inner, content);
  if (facts === null || content.broken !== null)
    return {
      ...unusable('unknown', 'broken-wrapper', content.broken ?? wrapper.name),
      wrappers: [wrapper.name],
    };
  const wrapped = { ...facts, wrappers: [wrapper.name, ...facts.wrappers] };
  const isRawOfUnknownSize =
    facts.format === 'raw' && facts.wrappers.length === 0 && facts.virtualSize === null;
  return isRawOfUnknownSize
    ? withSize(wrapped, yield* contentSize(wrapper, content, options), content)
    : wrapped;
}

/** Runs `inner` on the content; null where the content turns out to be broken. */
function* readContent(inner: Reading<ImageFacts>, content: Content): Reading<ImageFacts | null> {
  try {
    let step = inner.next();
    while (!step.done) {
      const bytes = yield* content.read(step.value);
      if (content.broken !== null) return null;
      step = bytes === null ? inner.throw(new UnreachableBytesError()) : inner.next(bytes);
    }
    return step.value;
  } finally {
    inner.return(undefined as never);
  }
}

function* contentSize(wrapper: Wrapper, content: Content, options: ProbeOptions): Reading<ContentSize> {
  if (content.ended) return { kind: 'exact', bytes: BigInt(content.bytes.length) };
  try {
    return yield* wrapper.contentSize(content.input, options);
  } catch (error) {
    if (error instanceof UnreachableBytesError) return { kind: 'unknown' };
    throw error;
  }
}

function withSize(facts: ImageFacts, size: ContentSize, content: Content): ImageFacts {
  const seen = BigInt(content.bytes.length);
  switch (size.kind) {
    case 'exact':
      return { ...facts, virtualSize: wholeSectors(size.bytes), virtualSizeAtLeast: null };
    case 'at-least':
      return { ...facts, virtualSizeAtLeast: size.bytes > seen ? size.bytes : seen };
    case 'unknown':
      return { ...facts, virtualSizeAtLeast: seen };
    case 'broken':
      return {
        ...facts,
        virtualSizeAtLeast: seen,
        defects: [...facts.defects, { code: 'broken-wrapper', detail: size.detail }],
      };
  }
}

/** The content of a compressed file as far as it was decompressed; asks for more of the file where needed. */
class Content {
  readonly #wrapper: Wrapper;
  readonly #fileLength: bigint | null;
  /** The file's first bytes; all of them where `#complete`. */
  input: Uint8Array;
  #complete: boolean;
  bytes: Uint8Array = new Uint8Array(0);
  /** Whether `bytes` is all of the content. */
  ended = false;
  broken: string | null = null;

  constructor(wrapper: Wrapper, prefix: Uint8Array, fileLength: bigint | null) {
    this.#wrapper = wrapper;
    this.#fileLength = fileLength;
    this.input = prefix;
    this.#complete = BigInt(prefix.length) === fileLength;
  }

  /** Fewer bytes than asked for only where the content ends or is broken; null where they lie too deep. */
  *read({ offset, length }: ByteRange): Reading<Uint8Array | null> {
    const end = offset + BigInt(length);
    const isTooDeep = end > WRAPPER_LIMITS.maxOutput;
    yield* this.#reach(isTooDeep ? WRAPPER_LIMITS.maxOutput : Number(end));
    if (!this.ended && end > this.bytes.length) return null;
    if (offset >= this.bytes.length) return new Uint8Array(0);
    return this.bytes.subarray(Number(offset), Number(offset) + length);
  }

  /** Decompresses until there are `wanted` bytes, or as many as the content and the limits allow. */
  *#reach(wanted: number): Reading<void> {
    if (this.bytes.length < wanted && !this.ended) this.#decompress(wanted);
    while (this.bytes.length < wanted && !this.ended && this.broken === null) {
      if (this.#complete || this.input.length >= WRAPPER_LIMITS.maxInput) return;
      if (!(yield* this.#more())) return;
      this.#decompress(wanted);
    }
  }

  /** Doubles the input; false where the file is itself inside of another wrapper, and lies too deep there. */
  *#more(): Reading<boolean> {
    const length = Math.min(this.input.length, WRAPPER_LIMITS.maxInput - this.input.length);
    try {
      const more = yield { offset: BigInt(this.input.length), length };
      this.input = Buffer.concat([this.input, more]);
      this.#complete = more.length < length || BigInt(this.input.length) === this.#fileLength;
      return true;
    } catch (error) {
      if (error instanceof UnreachableBytesError) return false;
      throw error;
    }
  }

  #decompress(wanted: number): void {
    const result = this.#wrapper.decompress(this.input, this.#complete, wanted);
    if (result.kind === 'broken') this.broken = result.detail;
    else {
      this.bytes = result.bytes;
      this.ended = result.ended;
    }
  }
}
