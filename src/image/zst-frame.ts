import type { ByteView } from '../bytes/view.ts';

/** The header of a Zstandard frame (RFC 8878, 3.1.1.1). */
export interface ZstFrameHeader {
  /** Bytes that decoding it keeps; null where it is a single segment, as long as its content. */
  readonly windowSize: bigint | null;
  readonly contentSize: bigint | null;
  readonly dictionaryId: number;
  readonly hasChecksum: boolean;
  /** A bit that must be zero is set. */
  readonly hasReservedBit: boolean;
  /** Bytes of the header, magic included. */
  readonly length: number;
}

export const ZST_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const ZST_SKIPPABLE_MAGIC_TAIL = [0x2a, 0x4d, 0x18];

/** Whether a frame that carries no content starts at `at`: 0x184D2A50 to 0x184D2A5F. */
export function isSkippableFrame(view: ByteView, at: number): boolean {
  return view.startsWith(ZST_SKIPPABLE_MAGIC_TAIL, at + 1) && view.u8(at) >> 4 === 5;
}

/** Reads the header at `at`, whose magic was seen. Throws OutOfBoundsError where the view ends in it. */
export function readZstFrameHeader(view: ByteView, at: number): ZstFrameHeader {
  const descriptor = view.u8(at + 4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  let here = at + 5;
  let windowSize: bigint | null = null;
  if (!isSingleSegment) {
    const byte = view.u8(here++);
    const base = 1n << BigInt(10 + (byte >> 3));
    windowSize = base + (base / 8n) * BigInt(byte & 7);
  }
  const dictionaryLength = [0, 1, 2, 4][descriptor & 3]!;
  const dictionaryId = littleEndian(view, here, dictionaryLength);
  here += dictionaryLength;
  const sizeLength = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const size = littleEndian(view, here, sizeLength);
  return {
    windowSize,
    contentSize: sizeLength === 0 ? null : size + (sizeLength === 2 ? 256n : 0n),
    dictionaryId: Number(dictionaryId),
    hasChecksum: (descriptor & 0x04) !== 0,
    hasReservedBit: (descriptor & 0x08) !== 0,
    length: here + sizeLength - at,
  };
}

function littleEndian(view: ByteView, at: number, length: number): bigint {
  let value = 0n;
  for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(view.u8(at + i));
  return value;
}

/** One block of a frame (RFC 8878, 3.1.1.2). */
export interface ZstBlock {
  readonly isLast: boolean;
  /** Bytes of the block in the file, its 3-byte header included. */
  readonly length: number;
}

/** A block holds, compressed or not, no more than this many bytes. */
const MAX_BLOCK = 128 * 1024;

/** The block at `at`; null where it is none. Throws OutOfBoundsError where the view ends in it. */
export function readZstBlock(view: ByteView, at: number): ZstBlock | null {
  const header = view.u16le(at) | (view.u8(at + 2) << 16);
  const type = (header >> 1) & 3;
  const size = header >> 3;
  if (type === 3 || size > MAX_BLOCK) return null;
  // Type 1 is one byte, repeated.
  const length = 3 + (type === 1 ? 1 : size);
  view.slice(at, length);
  return { isLast: (header & 1) === 1, length };
}
