import { zstdDecompressSync } from 'node:zlib';
import { ByteView, OutOfBoundsError } from '../bytes/view.ts';
import type { ProbeOptions } from './image.ts';
import { decodeWithinLimit } from './within-limit.ts';
import { type ContentSize, type Unwrapped, WRAPPER_LIMITS, type Wrapper } from './wrapper.ts';
import { isSkippableFrame, readZstBlock, readZstFrameHeader, ZST_MAGIC } from './zst-frame.ts';

/** What CDI's decoder keeps at the most for a frame of several segments: 512 MiB. */
const MAX_WINDOW = 1n << 29n;

/**
 * Frames are decoded from copies with a header of our own: no content size or checksum, as the copy is cut short,
 * and a window of 1 MiB (RFC 8878, 3.1.1.1.2), which is all that WRAPPER_LIMITS lets a match reach back. So a
 * forged window costs no memory.
 */
const COPIED_HEADER = Uint8Array.from([...ZST_MAGIC, 0x00, 0x50]);

/** One block in the input; `startsFrame` where a frame's header comes before it. */
interface PlacedBlock {
  readonly at: number;
  readonly length: number;
  readonly startsFrame: boolean;
}

interface Walk {
  readonly blocks: readonly PlacedBlock[];
  /** Whether the input ends where a frame does. */
  readonly ended: boolean;
  readonly broken: string | null;
}

/** Every whole block of the input. */
function walkBlocks(view: ByteView): Walk {
  const blocks: PlacedBlock[] = [];
  let at = 0;
  try {
    while (at < view.length) {
      if (isSkippableFrame(view, at)) {
        at += 8 + view.u32le(at + 4);
        if (at > view.length) return { blocks, ended: false, broken: null };
        continue;
      }
      view.slice(at, ZST_MAGIC.length);
      if (!view.startsWith(ZST_MAGIC, at)) return { blocks, ended: false, broken: 'zst with other bytes' };
      const header = readZstFrameHeader(view, at);
      if (header.hasReservedBit) return { blocks, ended: false, broken: 'zst frame header' };
      if (header.dictionaryId !== 0) return { blocks, ended: false, broken: 'zst that needs a dictionary' };
      if (header.windowSize !== null && header.windowSize > MAX_WINDOW)
        return { blocks, ended: false, broken: 'zst window over 512 MiB' };
      at += header.length;
      for (let startsFrame = true, isLast = false; !isLast; startsFrame = false) {
        const block = readZstBlock(view, at);
        if (block === null) return { blocks, ended: false, broken: 'zst block' };
        blocks.push({ at, length: block.length, startsFrame });
        at += block.length;
        isLast = block.isLast;
      }
      if (header.hasChecksum) {
        view.slice(at, 4);
        at += 4;
      }
    }
    return { blocks, ended: true, broken: null };
  } catch (error) {
    if (error instanceof OutOfBoundsError) return { blocks, ended: false, broken: null };
    throw error;
  }
}

/** Frames of our own around these blocks, the last of each marked as such. */
function copyFrames(input: Uint8Array, blocks: readonly PlacedBlock[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [i, block] of blocks.entries()) {
    if (block.startsFrame) parts.push(COPIED_HEADER);
    const copy = input.slice(block.at, block.at + block.length);
    const isLast = blocks[i + 1]?.startsFrame ?? true;
    copy[0] = (copy[0]! & 0xfe) | (isLast ? 1 : 0);
    parts.push(copy);
  }
  return Buffer.concat(parts);
}

function decompress(input: Uint8Array, complete: boolean, wanted: number): Unwrapped {
  const walk = walkBlocks(new ByteView(input));
  if (walk.broken !== null) return { kind: 'broken', detail: walk.broken };
  if (complete && !walk.ended) return { kind: 'broken', detail: 'zst cut short' };
  try {
    const decoded = decodeWithinLimit(walk.blocks.length, wanted, (units) =>
      units === 0
        ? new Uint8Array(0)
        : zstdDecompressSync(copyFrames(input, walk.blocks.slice(0, units)), {
            maxOutputLength: WRAPPER_LIMITS.maxOutput,
          }),
    );
    const ended = complete && decoded.units === walk.blocks.length;
    return { kind: 'bytes', bytes: decoded.bytes, ended };
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
