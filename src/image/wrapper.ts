import type { ByteView } from '../bytes/view.ts';
import type { ProbeOptions, Reading } from './image.ts';

/** What one kind of compression may cost. Bytes; each holds for every layer by itself. */
export const WRAPPER_LIMITS = {
  maxInput: 1024 * 1024,
  maxOutput: 1024 * 1024,
} as const;

/** What the first bytes of a compressed file decompress to. */
export type Unwrapped =
  | {
      readonly kind: 'bytes';
      /** From the first byte on: never more than WRAPPER_LIMITS.maxOutput. */
      readonly bytes: Uint8Array;
      /** Whether this is all of the content. */
      readonly ended: boolean;
    }
  | { readonly kind: 'broken'; readonly detail: string };

/** How long the content of a compressed file is, in bytes. */
export type ContentSize =
  | { readonly kind: 'exact'; readonly bytes: bigint }
  | { readonly kind: 'at-least'; readonly bytes: bigint }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'broken'; readonly detail: string };

/** One row of wrappers.ts. */
export interface Wrapper {
  /** CDI's name for it. */
  readonly name: 'gz' | 'xz' | 'zst';
  recognise(prefix: ByteView): boolean;
  /**
   * Decompresses what `input`, the file's first bytes, holds; may stop once there are `wanted` bytes.
   * `complete` says that the input is the whole file, so that what is missing is a fault.
   */
  decompress(input: Uint8Array, complete: boolean, wanted: number): Unwrapped;
  /** What the file itself says about the length of its content, `input` being its first bytes. */
  contentSize(input: Uint8Array, options: ProbeOptions): Reading<ContentSize>;
}

/** The bytes asked for lie beyond what a compressed file is decompressed for. */
export class UnreachableBytesError extends Error {
  readonly code = 'unreachable-bytes';
  constructor() {
    super('these bytes lie too deep in a compressed file');
    this.name = 'UnreachableBytesError';
  }
}
