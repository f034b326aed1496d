/** The input ends before the symbol does. */
export class InputEndsError extends Error {
  readonly code = 'input-ends';
  constructor() {
    super('the compressed bytes end too early');
    this.name = 'InputEndsError';
  }
}

/** The input is no LZMA. */
export class BadLzmaError extends Error {
  readonly code = 'bad-lzma';
  constructor(what: string) {
    super(what);
    this.name = 'BadLzmaError';
  }
}

/** Offsets of the adaptive probabilities in one array, and how many there are of each. */
const IS_MATCH = 0; // 12 states x 16 positions
const IS_REP = 192;
const IS_REP_G0 = 204;
const IS_REP_G1 = 216;
const IS_REP_G2 = 228;
const IS_REP0_LONG = 240; // 12 x 16
const POSITION_SLOT = 432; // 4 x 64
const POSITION_SPECIAL = 688; // 115, of which the first is unused
const POSITION_ALIGN = 803; // 16
const MATCH_LENGTH = 819; // 2 choices, low 16 x 8, mid 16 x 8, high 256
const REP_LENGTH = 1333;
const LITERAL = 1847; // 0x300 for each literal context, 16 at the most
const PROBABILITIES = LITERAL + (0x300 << 4);

const LENGTH_LOW = 2;
const LENGTH_MID = 130;
const LENGTH_HIGH = 258;

const HALF = 1024;
const RANGE_FLOOR = 2 ** 24;
const MIN_MATCH = 2;

/**
 * The LZMA decoder of an LZMA2 stream. `output` holds everything since the start of the block, so it is the
 * dictionary as well; nothing is written at or past `limit`.
 */
export class LzmaDecoder {
  readonly output: Uint8Array;
  /** Bytes of `output` that are written. */
  length = 0;
  /** Where the dictionary starts in `output`: matches reach no further back. */
  dictionaryStart = 0;

  readonly #probabilities = new Uint16Array(PROBABILITIES);
  readonly #reps = [0, 0, 0, 0];
  #state = 0;
  #literalContextBits = 0;
  #literalPositionMask = 0;
  #positionMask = 0;

  #input: Uint8Array = new Uint8Array(0);
  #at = 0;
  #inputEnd = 0;
  #range = 0;
  #code = 0;

  constructor(limit: number) {
    this.output = new Uint8Array(limit);
  }

  /** Properties byte: (pb * 5 + lp) * 9 + lc. */
  setProperties(byte: number): void {
    const lc = byte % 9;
    const lp = Math.floor(byte / 9) % 5;
    if (byte >= 225 || lc + lp > 4) throw new BadLzmaError(`properties ${byte}`);
    this.#literalContextBits = lc;
    this.#literalPositionMask = (1 << lp) - 1;
    this.#positionMask = (1 << Math.floor(byte / 45)) - 1;
  }

  resetState(): void {
    this.#state = 0;
    this.#reps.fill(0);
    this.#probabilities.fill(HALF);
  }

  /** Takes bytes as they are, as far as there is room. */
  store(bytes: Uint8Array): void {
    const taken = bytes.subarray(0, this.output.length - this.length);
    this.output.set(taken, this.length);
    this.length += taken.length;
  }

  /**
   * Decodes one chunk of `size` bytes from input[start, end). Throws InputEndsError where the input is shorter
   * than `end` and runs out; what was decoded until then stays.
   */
  decodeChunk(input: Uint8Array, start: number, end: number, size: number): void {
    this.#input = input;
    this.#at = start;
    this.#inputEnd = end;
    if (this.#nextByte() !== 0) throw new BadLzmaError('first byte of a chunk');
    this.#code = 0;
    this.#range = 2 ** 32 - 1;
    for (let i = 0; i < 4; i++) this.#code = this.#code * 256 + this.#nextByte();

    const chunkEnd = this.length + size;
    const stop = Math.min(chunkEnd, this.output.length);
    while (this.length < stop) this.#decodeSymbol(chunkEnd);
    if (this.length < chunkEnd) return;
    this.#normalise();
    if (this.#code !== 0 || this.#at !== end) throw new BadLzmaError('end of a chunk');
  }

  #decodeSymbol(chunkEnd: number): void {
    const position = (this.length - this.dictionaryStart) & this.#positionMask;
    const stateAndPosition = (this.#state << 4) + position;
    if (this.#bit(IS_MATCH + stateAndPosition) === 0) {
      this.#literal();
    } else if (this.#bit(IS_REP + this.#state) === 0) {
      const length = this.#matchLength(MATCH_LENGTH, position);
      this.#reps.copyWithin(1, 0, 3);
      this.#reps[0] = this.#distance(length);
      this.#state = this.#state < 7 ? 7 : 10;
      this.#copy(length, chunkEnd);
    } else if (this.#repeatsOneByte(stateAndPosition)) {
      this.#state = this.#state < 7 ? 9 : 11;
      this.#copy(1, chunkEnd);
    } else {
      const length = this.#matchLength(REP_LENGTH, position);
      this.#state = this.#state < 7 ? 8 : 11;
      this.#copy(length, chunkEnd);
    }
  }

  /** Moves the distance that is repeated to the front; true where only one byte is. */
  #repeatsOneByte(stateAndPosition: number): boolean {
    if (this.#bit(IS_REP_G0 + this.#state) === 0) return this.#bit(IS_REP0_LONG + stateAndPosition) === 0;
    let which = 1;
    if (this.#bit(IS_REP_G1 + this.#state) === 1) which = 2 + this.#bit(IS_REP_G2 + this.#state);
    const distance = this.#reps[which]!;
    this.#reps.copyWithin(1, 0, which);
    this.#reps[0] = distance;
    return false;
  }

  #literal(): void {
    const before = this.length > this.dictionaryStart ? this.output[this.length - 1]! : 0;
    const low = (this.length - this.dictionaryStart) & this.#literalPositionMask;
    const context = (low << this.#literalContextBits) + (before >> (8 - this.#literalContextBits));
    const base = LITERAL + 0x300 * context;
    let symbol = 1;
    if (this.#state >= 7) {
      // After a match the byte that would have continued it is part of the context, as long as it agrees.
      let matched = this.#byteBack(this.#reps[0]!);
      while (symbol < 0x100) {
        const expected = (matched >> 7) & 1;
        matched <<= 1;
        const bit = this.#bit(base + ((1 + expected) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== expected) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(base + symbol);
    this.output[this.length++] = symbol & 0xff;
    if (this.#state < 4) this.#state = 0;
    else this.#state -= this.#state < 10 ? 3 : 6;
  }

  #matchLength(base: number, position: number): number {
    if (this.#bit(base) === 0) return MIN_MATCH + this.#tree(base + LENGTH_LOW + (position << 3), 3);
    if (this.#bit(base + 1) === 0) return MIN_MATCH + 8 + this.#tree(base + LENGTH_MID + (position << 3), 3);
    return MIN_MATCH + 16 + this.#tree(base + LENGTH_HIGH, 8);
  }

  /** A distance as it is kept: 0 is the byte just before. */
  #distance(length: number): number {
    const slots = POSITION_SLOT + (Math.min(length - MIN_MATCH, 3) << 6);
    const slot = this.#tree(slots, 6);
    if (slot < 4) return slot;
    const directBits = (slot >> 1) - 1;
    // Up to 32 bits: arithmetic, for shifts would make it negative.
    const base = (2 + (slot & 1)) * 2 ** directBits;
    if (slot < 14) return base + this.#reverseTree(POSITION_SPECIAL + base - slot, directBits);
    return base + this.#direct(directBits - 4) * 16 + this.#reverseTree(POSITION_ALIGN, 4);
  }

  #copy(length: number, chunkEnd: number): void {
    const distance = this.#reps[0]!;
    if (distance >= this.length - this.dictionaryStart) throw new BadLzmaError('distance');
    if (length > chunkEnd - this.length) throw new BadLzmaError('match across the end of a chunk');
    const end = Math.min(this.length + length, this.output.length);
    for (let to = this.length; to < end; to++) this.output[to] = this.output[to - distance - 1]!;
    this.length = end;
  }

  #byteBack(distance: number): number {
    if (distance >= this.length - this.dictionaryStart) throw new BadLzmaError('distance');
    return this.output[this.length - distance - 1]!;
  }

  #tree(base: number, bits: number): number {
    let symbol = 1;
    for (let i = 0; i < bits; i++) symbol = (symbol << 1) | this.#bit(base + symbol);
    return symbol - (1 << bits);
  }

  #reverseTree(base: number, bits: number): number {
    let symbol = 1;
    let value = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.#bit(base + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  /** Bits of even odds, highest first. */
  #direct(bits: number): number {
    let value = 0;
    for (let i = 0; i < bits; i++) {
      this.#normalise();
      this.#range = Math.floor(this.#range / 2);
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit === 1) this.#code -= this.#range;
      value = value * 2 + bit;
    }
    return value;
  }

  #bit(index: number): number {
    this.#normalise();
    const probability = this.#probabilities[index]!;
    const bound = (this.#range >>> 11) * probability;
    if (this.#code < bound) {
      this.#range = bound;
      this.#probabilities[index] = probability + ((2048 - probability) >>> 5);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    this.#probabilities[index] = probability - (probability >>> 5);
    return 1;
  }

  #normalise(): void {
    if (this.#range >= RANGE_FLOOR) return;
    this.#range *= 256;
    this.#code = this.#code * 256 + this.#nextByte();
  }

  #nextByte(): number {
    if (this.#at >= this.#inputEnd) throw new BadLzmaError('chunk longer than it says');
    const byte = this.#input[this.#at++];
    if (byte === undefined) throw new InputEndsError();
    return byte;
  }
}
