import type { ByteView } from '../bytes/view.ts';
import { type DiskFacts, disk, type Format, wholeSectors } from './format.ts';
import type { Defect, ProbeOptions, Reading } from './image.ts';

/**
 * Bytes that CDI takes as the disk itself (ISO images too): V is their length. Where that is unknown, they
 * are at least what was read.
 */
export function rawDisk(prefix: ByteView, options: ProbeOptions, defects: readonly Defect[] = []): DiskFacts {
  const { storedSize } = options;
  if (storedSize !== null) return disk('raw', wholeSectors(storedSize), { defects });
  return {
    format: 'raw',
    virtualSize: null,
    virtualSizeAtLeast: BigInt(prefix.length),
    allocatedSize: null,
    defects,
  };
}

/** Whatever no other row recognises: fixed VHDs, whose footer CDI does not look for, among it. */
export const RAW: Format = {
  name: 'raw',
  recognise: () => true,
  // biome-ignore lint/correctness/useYield: a Reading that needs no more than the prefix
  *read(prefix: ByteView, options: ProbeOptions): Reading<DiskFacts> {
    return rawDisk(prefix, options);
  },
};
