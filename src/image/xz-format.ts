import { crc32 } from 'node:zlib';
import type { ByteView } from '../bytes/view.ts';

/** Parts of a .xz file (its specification, 1.2: sections 2.1, 3.4 and 4). Lengths in bytes. */
export const XZ_MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00];
export const XZ_FOOTER_MAGIC = [0x59, 0x5a];
/** Of a stream's header, and of its footer. */
export const XZ_EDGE_LENGTH = 12;
const CHECK_LENGTHS = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/** Length of each block's check, by the type in the stream flags. */
export function xzCheckLength(type: number): number {
  return CHECK_LENGTHS[type]!;
}

/** Whether the little-endian CRC32 at `at` is that of the `length` bytes from `start`. */
export function xzCrcHolds(view: ByteView, start: number, length: number, at: number): boolean {
  return crc32(view.slice(start, length)) === view.u32le(at);
}

/** A variable-length integer of up to 9 bytes, seven bits each, lowest first; null where it is none. */
export function readXzInteger(view: ByteView, at: number): { value: bigint; end: number } | null {
  let value = 0n;
  for (let i = 0; i < 9; i++) {
    const byte = view.u8(at + i);
    if (byte === 0 && i > 0) return null;
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return { value, end: at + i + 1 };
  }
  return null;
}

/** What an index says of its stream: bytes that the blocks take up in the file, and that they decompress to. */
export interface XzIndex {
  readonly packedLength: bigint;
  readonly size: bigint;
  /** Bytes of the index itself. */
  readonly length: number;
}

/**
 * The index that starts at `at`: its indicator (0), the number of records, for each the block's length and
 * size, padding, CRC32. Null where it is none. Throws OutOfBoundsError where the view ends in it.
 */
export function readXzIndex(view: ByteView, at: number): XzIndex | null {
  if (view.u8(at) !== 0) return null;
  const count = readXzInteger(view, at + 1);
  if (count === null) return null;
  let packedLength = 0n;
  let size = 0n;
  let here = count.end;
  // Each record takes two bytes or more, so a forged count ends at the view's end.
  for (let i = 0n; i < count.value; i++) {
    const packed = readXzInteger(view, here);
    if (packed === null) return null;
    const unpacked = readXzInteger(view, packed.end);
    if (unpacked === null) return null;
    packedLength += (packed.value + 3n) & ~3n;
    size += unpacked.value;
    here = unpacked.end;
  }
  for (; (here - at) % 4 !== 0; here++) if (view.u8(here) !== 0) return null;
  return xzCrcHolds(view, at, here - at, here) ? { packedLength, size, length: here + 4 - at } : null;
}
