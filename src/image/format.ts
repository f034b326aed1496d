import type { ByteView } from '../bytes/view.ts';
import type { Defect, DefectCode, ImageFacts, ProbeOptions, Reading } from './image.ts';

/** What a format's parser finds out; the compression around it is not its business. */
export type DiskFacts = Omit<ImageFacts, 'wrappers'>;

/** One row of formats.ts. */
export interface Format {
  /** qemu-img's name of the format, for the case that nothing but the magic could be read. */
  readonly name: string;
  /** Whether the first bytes of a file (up to PREFIX_LENGTH) are of this format. */
  recognise(prefix: ByteView): boolean;
  /**
   * Reads what it is. What is broken is a defect, never an error and never another format. Only reading
   * outside of what is there throws, OutOfBoundsError, which the caller takes for a truncated file.
   */
  read(prefix: ByteView, options: ProbeOptions): Reading<DiskFacts>;
}

/** Bytes of a file that are read before anything is known about it: every header but VHDX's lies in them. */
export const PREFIX_LENGTH = 65_536;

const SECTOR = 512n;

/** Bytes in whole sectors of 512, rounded up: how qemu counts a raw file. */
export function wholeSectors(bytes: bigint): bigint {
  return ((bytes + SECTOR - 1n) / SECTOR) * SECTOR;
}

/** A disk of known size, sound unless defects are given. Sizes in bytes. */
export function disk(
  format: string,
  virtualSize: bigint,
  found: { readonly allocatedSize?: bigint | null; readonly defects?: readonly Defect[] } = {},
): DiskFacts {
  return {
    format,
    virtualSize,
    virtualSizeAtLeast: null,
    allocatedSize: found.allocatedSize ?? null,
    defects: found.defects ?? [],
  };
}

/** A disk that no size can be told of, for the reason given. */
export function unusable(format: string, code: DefectCode, detail: string): DiskFacts {
  return {
    format,
    virtualSize: null,
    virtualSizeAtLeast: null,
    allocatedSize: null,
    defects: [{ code, detail }],
  };
}
