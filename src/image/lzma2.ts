import { ByteView } from '../bytes/view.ts';
import { BadLzmaError, InputEndsError, LzmaDecoder } from './lzma.ts';

/** What a block's bytes decode to, and where in the input the block ends (null: it does not end there). */
export interface DecodedBlock {
  readonly bytes: Uint8Array;
  readonly end: number | null;
}

/** Control bytes of an LZMA2 chunk. */
const END = 0x00;
const STORED_NEW_DICTIONARY = 0x01;
const STORED = 0x02;
const LZMA = 0x80;
const LZMA_NEW_STATE = 0xa0;
const LZMA_NEW_PROPERTIES = 0xc0;
const LZMA_NEW_DICTIONARY = 0xe0;

/**
 * Decodes the LZMA2 stream that begins at `start`, as far as the input goes, but no more than `limit` bytes of
 * output. Throws BadLzmaError.
 */
export function decodeLzma2(input: Uint8Array, start: number, limit: number): DecodedBlock {
  const chunks = new ChunkReader(input, start, limit);
  try {
    while (chunks.hasRoom) if (!chunks.next()) return { bytes: chunks.bytes, end: chunks.at };
  } catch (error) {
    if (!(error instanceof InputEndsError)) throw error;
  }
  return { bytes: chunks.bytes, end: null };
}

class ChunkReader {
  readonly #input: Uint8Array;
  readonly #view: ByteView;
  readonly #decoder: LzmaDecoder;
  #needsDictionary = true;
  #needsProperties = true;
  at: number;

  constructor(input: Uint8Array, start: number, limit: number) {
    this.#input = input;
    this.#view = new ByteView(input);
    this.#decoder = new LzmaDecoder(limit);
    this.at = start;
  }

  get bytes(): Uint8Array {
    return this.#decoder.output.subarray(0, this.#decoder.length);
  }

  get hasRoom(): boolean {
    return this.#decoder.length < this.#decoder.output.length;
  }

  /** Decodes one chunk; false at the end of the stream. */
  next(): boolean {
    this.#needs(1);
    const control = this.#view.u8(this.at);
    if (control === END) {
      this.at += 1;
      return false;
    }
    if (control === STORED_NEW_DICTIONARY || control >= LZMA_NEW_DICTIONARY) {
      this.#needsDictionary = false;
      this.#needsProperties = true;
      this.#decoder.dictionaryStart = this.#decoder.length;
    } else if (this.#needsDictionary) throw new BadLzmaError('no dictionary reset');
    if (control >= LZMA) this.#compressed(control);
    else if (control <= STORED) this.#stored();
    else throw new BadLzmaError(`control byte ${control}`);
    return true;
  }

  #compressed(control: number): void {
    const hasProperties = control >= LZMA_NEW_PROPERTIES;
    const headerLength = hasProperties ? 6 : 5;
    this.#needs(headerLength);
    const size = ((control & 0x1f) << 16) + this.#view.u16be(this.at + 1) + 1;
    const packed = this.#view.u16be(this.at + 3) + 1;
    if (hasProperties) {
      this.#decoder.setProperties(this.#view.u8(this.at + 5));
      this.#needsProperties = false;
    } else if (this.#needsProperties) throw new BadLzmaError('no properties');
    if (control >= LZMA_NEW_STATE) this.#decoder.resetState();
    const start = this.at + headerLength;
    this.#decoder.decodeChunk(this.#input, start, start + packed, size);
    this.at = start + packed;
  }

  #stored(): void {
    this.#needs(3);
    const size = this.#view.u16be(this.at + 1) + 1;
    const start = this.at + 3;
    this.#decoder.store(this.#input.subarray(start, start + size));
    this.#needs(3 + size);
    this.at = start + size;
  }

  #needs(length: number): void {
    if (this.at + length > this.#input.length) throw new InputEndsError();
  }
}
