import type { ByteRange } from './range.ts';

/** Random access to the bytes of one file, wherever it is kept. */
export interface ByteSource {
  /** Length in bytes of the file as served; null where its server does not say. */
  readonly size: bigint | null;
  /** What this very content is known by (strong ETag, digest); null where nothing identifies it. */
  readonly identity: string | null;
  /** What reading has cost so far. */
  readonly cost: { readonly bytesRead: number; readonly requests: number };
  /** The bytes of `range`: fewer than `range.length` only where the file ends. Throws a coded error. */
  read(range: ByteRange): Promise<Uint8Array>;
  close(): void;
}
