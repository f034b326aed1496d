/** Reading past the end of what is there. The offset and length are of the attempted read, in bytes. */
export class OutOfBoundsError extends Error {
  readonly code = 'out-of-bounds';
  constructor(offset: number, length: number, available: number) {
    super(`bytes ${offset}..${offset + length} of ${available}`);
    this.name = 'OutOfBoundsError';
  }
}

/** Bounds-checked integer reads over bytes; every read outside them throws OutOfBoundsError. */
export class ByteView {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.bytes.length;
  }

  u8(offset: number): number {
    return this.#view.getUint8(this.#within(offset, 1));
  }
  u16be(offset: number): number {
    return this.#view.getUint16(this.#within(offset, 2));
  }
  u16le(offset: number): number {
    return this.#view.getUint16(this.#within(offset, 2), true);
  }
  u32be(offset: number): number {
    return this.#view.getUint32(this.#within(offset, 4));
  }
  u32le(offset: number): number {
    return this.#view.getUint32(this.#within(offset, 4), true);
  }
  u64be(offset: number): bigint {
    return this.#view.getBigUint64(this.#within(offset, 8));
  }
  u64le(offset: number): bigint {
    return this.#view.getBigUint64(this.#within(offset, 8), true);
  }

  /** A view of the same memory, not a copy. */
  slice(offset: number, length: number): Uint8Array {
    return this.bytes.subarray(this.#within(offset, length), offset + length);
  }

  /** Latin-1 text, NULs kept. */
  ascii(offset: number, length: number): string {
    return String.fromCharCode(...this.slice(offset, length));
  }

  /** Whether these bytes stand at `offset`; false, not an error, where the view is too short. */
  startsWith(magic: readonly number[] | Uint8Array, offset = 0): boolean {
    if (offset + magic.length > this.length) return false;
    for (let i = 0; i < magic.length; i++) if (this.bytes[offset + i] !== magic[i]) return false;
    return true;
  }

  #within(offset: number, length: number): number {
    if (!Number.isSafeInteger(offset) || offset < 0 || length < 0 || offset + length > this.length)
      throw new OutOfBoundsError(offset, length, this.length);
    return offset;
  }
}
