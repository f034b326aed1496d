import { type ByteView, OutOfBoundsError } from '../bytes/view.ts';
import { isSkippableFrame, readZstBlock, readZstFrameHeader, ZST_MAGIC } from './zst-frame.ts';

/** What CDI's decoder keeps at the most for a frame of several segments: 512 MiB. */
const MAX_WINDOW = 1n << 29n;

/** One block of a frame: where it is in the input, and its length with its header. */
export interface PlacedBlock {
  readonly at: number;
  readonly length: number;
}

/** What was found in the input, up to its end or to what is broken. */
export interface ZstWalk {
  /** The whole blocks of each frame that carries content. */
  readonly frames: readonly (readonly PlacedBlock[])[];
  /** Whether the input ends where a frame does. */
  readonly ended: boolean;
  /** What CDI's decoder would reject. */
  readonly broken: string | null;
}

/** Finds every whole block of the input, decoding none. */
export function walkZstBlocks(view: ByteView): ZstWalk {
  const frames: PlacedBlock[][] = [];
  try {
    for (let at = 0; at < view.length; ) {
      if (isSkippableFrame(view, at)) {
        const length = 8 + view.u32le(at + 4);
        view.slice(at, length);
        at += length;
        continue;
      }
      const blocks: PlacedBlock[] = [];
      frames.push(blocks);
      const end = walkFrame(view, at, blocks);
      if (typeof end === 'string') return { frames, ended: false, broken: end };
      at = end;
    }
    return { frames, ended: true, broken: null };
  } catch (error) {
    if (error instanceof OutOfBoundsError) return { frames, ended: false, broken: null };
    throw error;
  }
}

/** Adds the blocks of the frame at `start`; returns where it ends, or what is broken about it. */
function walkFrame(view: ByteView, start: number, blocks: PlacedBlock[]): number | string {
  view.slice(start, ZST_MAGIC.length);
  if (!view.startsWith(ZST_MAGIC, start)) return 'zst with other bytes';
  const header = readZstFrameHeader(view, start);
  if (header.hasReservedBit) return 'zst frame header';
  if (header.dictionaryId !== 0) return 'zst that needs a dictionary';
  if (header.windowSize !== null && header.windowSize > MAX_WINDOW) return 'zst window over 512 MiB';
  let at = start + header.length;
  for (let isLast = false; !isLast; ) {
    const block = readZstBlock(view, at);
    if (block === null) return 'zst block';
    blocks.push({ at, length: block.length });
    at += block.length;
    isLast = block.isLast;
  }
  if (!header.hasChecksum) return at;
  view.slice(at, 4);
  return at + 4;
}
