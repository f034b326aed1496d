import { zstdDecompressSync } from 'node:zlib';
import { ByteView } from '../bytes/view.ts';
import type { ProbeOptions } from './image.ts';
import { decodeWithinLimit } from './within-limit.ts';
import { type ContentSize, type Unwrapped, WRAPPER_LIMITS, type Wrapper } from './wrapper.ts';
import { type PlacedBlock, walkZstBlocks, type ZstWalk } from './zst-blocks.ts';
import { readZstFrameHeader, ZST_MAGIC } from './zst-frame.ts';

/** Frames that are decoded; of a file of more, the rest stays unknown. */
const MAX_FRAMES = 64;

/**
 * Frames are decoded from copies with a header of our own: no content size or checksum, as the copy is cut short,
 * and a window of 1 MiB (RFC 8878, 3.1.1.1.2), which is all that WRAPPER_LIMITS lets a match reach back. So a
 * forged window costs no memory.
 */
const COPIED_HEADER = Uint8Array.from([...ZST_MAGIC, 0x00, 0x50]);

/** A frame of our own around these blocks, the last of them marked as such. */
function copyFrame(input: Uint8Array, blocks: readonly PlacedBlock[]): Uint8Array {
  const parts: Uint8Array[] = [COPIED_HEADER];
  for (const [i, { at, length }] of blocks.entries()) {
    const copy = Uint8Array.from(input.subarray(at, at + length));
    copy[0] = (copy[0]! & 0xfe) | (i === blocks.length - 1 ? 1 : 0);
    parts.push(copy);
  }
  return Buffer.concat(parts);
}

/** Decodes a frame's blocks as far as `limit` bytes of output hold them. */
function decodeBlocks(input: Uint8Array, blocks: readonly PlacedBlock[], wanted: number, limit: number) {
  return decodeWithinLimit(blocks.length, wanted, (units) =>
    units === 0
      ? new Uint8Array(0)
      : zstdDecompressSync(copyFrame(input, blocks.slice(0, units)), { maxOutputLength: limit }),
  );
}

/** zlib's decoder stops behind a frame, so each is decoded by itself. */
function decodeFrames(input: Uint8Array, frames: ZstWalk['frames'], wanted: number) {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const [i, blocks] of frames.entries()) {
    const limit = WRAPPER_LIMITS.maxOutput - length;
    if (length >= wanted || limit === 0 || i === MAX_FRAMES) return { parts, isAll: false };
    const decoded = decodeBlocks(input, blocks, wanted - length, limit);
    parts.push(decoded.bytes);
    length += decoded.bytes.length;
    if (decoded.units < blocks.length) return { parts, isAll: false };
  }
  return { parts, isAll: true };
}

function decompress(input: Uint8Array, complete: boolean, wanted: number): Unwrapped {
  const walk = walkZstBlocks(new ByteView(input));
  if (walk.broken !== null) return { kind: 'broken', detail: walk.broken };
  if (complete && !walk.ended) return { kind: 'broken', detail: 'zst cut short' };
  try {
    const { parts, isAll } = decodeFrames(input, walk.frames, wanted);
    return { kind: 'bytes', bytes: Buffer.concat(parts), ended: complete && isAll };
  } catch (error) {
    if (!isBadData(error)) throw error;
    return { kind: 'broken', detail: 'zst data' };
  }
}

function isBadData(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && code.startsWith('ZSTD_');
}

/** The length of a file with one frame only is more than this for its content: 3 bytes for each block of 1 KiB. */
function longestSingleFrame(contentSize: bigint): bigint {
  return contentSize + contentSize / 256n + 1024n;
}

/**
 * The first frame's content size, where it has one, is that of the file if there is no other frame. That cannot
 * be seen from its start; but a file that is too long for one frame of that size has several.
 */
function contentSize(input: Uint8Array, options: ProbeOptions): ContentSize {
  const header = readZstFrameHeader(new ByteView(input), 0);
  if (header.contentSize === null) return { kind: 'unknown' };
  const isWhole = options.storedSize !== null && options.storedSize <= longestSingleFrame(header.contentSize);
  return { kind: isWhole ? 'exact' : 'at-least', bytes: header.contentSize };
}

/** Zstandard, RFC 8878. */
export const ZST: Wrapper = {
  name: 'zst',
  recognise: (prefix) => prefix.startsWith(ZST_MAGIC),
  decompress,
  // biome-ignore lint/correctness/useYield: a Reading that needs no bytes
  *contentSize(input, options) {
    return contentSize(input, options);
  },
};
