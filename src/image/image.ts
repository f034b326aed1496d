import type { ByteRange } from '../bytes/range.ts';

/** Why CDI will refuse or misread an image that could be read; each is the reason of an `unusable-image`. */
export const DEFECTS = {
  'backing-file': 'needs a backing file, which CDI refuses',
  'external-data-file': 'keeps its data in another file',
  encrypted: 'is encrypted',
  differencing: 'is a differencing disk, of no use without its parent',
  'descriptor-only': 'is a descriptor whose data lies in other files',
  'unsupported-format': 'is of a format that CDI does not import',
  'unsupported-wrapper': 'is an archive or compression that CDI does not unpack',
  'broken-wrapper': 'is compressed in a way that CDI’s decoder rejects',
  'unsupported-feature': 'needs a feature that CDI’s qemu-img does not know',
  'under-512-bytes': 'is shorter than 512 bytes, which CDI refuses',
  'corrupt-header': 'has a header that qemu-img refuses',
  truncated: 'ends before its header does',
} as const;

export type DefectCode = keyof typeof DEFECTS;

/** One defect; `detail` names the field and value in a few words, without any text out of the image. */
export interface Defect {
  readonly code: DefectCode;
  readonly detail: string;
}

/** What one image file is. Sizes are bytes; null is unknown. */
export interface ImageFacts {
  /**
   * qemu-img's name of the innermost format: qcow2, raw, vmdk, vdi, vpc, vhdx…; iso counts as raw. `unknown`
   * where what is inside could not be seen.
   */
  readonly format: string;
  /** Compression around it, outermost first. */
  readonly wrappers: readonly string[];
  /** V: the disk's bytes once decompressed and converted to raw. */
  readonly virtualSize: bigint | null;
  /** Where V is unknown: what it is at the least. */
  readonly virtualSizeAtLeast: bigint | null;
  /** A: the bytes that hold data, from the format's own tables; null unless asked for and affordable. */
  readonly allocatedSize: bigint | null;
  readonly defects: readonly Defect[];
}

/** What a parser may know before it reads: nothing of it is trusted for an allocation. */
export interface ProbeOptions {
  /** D: the length of the file as served, in bytes; null where unknown. */
  readonly storedSize: bigint | null;
  /** Whether a compression around the disk is peeled, as CDI does of what it downloads; not of what lies in a container's layer. Absent: yes. */
  readonly peel?: boolean;
  /** Whether to walk the format's tables for A. */
  readonly map: boolean;
}

/**
 * A parser asks for byte ranges and is handed the bytes (fewer only at the end of the file); it does no I/O.
 * Its driver stops it (generator.return) where a budget ends.
 */
export type Reading<T> = Generator<ByteRange, T, Uint8Array>;
