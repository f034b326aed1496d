import { GiB, MiB, roundUpTo } from '../quantity/units.ts';
import { requiredSpace, usableSpace } from '../volume/overhead.ts';
import type { SizeReading, Volume, VolumeApi } from '../volume/volume.ts';

/** How far a base volume may exceed its image. Factors are exact thousandths, so that 2.5 needs no float. */
export interface SizeLimits {
  readonly maxThousandthsOfVirtual: bigint;
  readonly maxThousandthsOfData: bigint;
  /** Bytes that are never too many. */
  readonly allowance: bigint;
}

/** Largest size, in bytes, that a base volume may ask for. Unknown data counts as V, which it cannot much exceed. */
export function largestAccepted(virtualSize: bigint, data: bigint | null, limits: SizeLimits): bigint {
  const byVirtual = (virtualSize * limits.maxThousandthsOfVirtual) / 1000n;
  const byData = ((data ?? virtualSize) * limits.maxThousandthsOfData) / 1000n;
  return [byVirtual, byData, limits.allowance, virtualSize].reduce((a, b) => (a > b ? a : b));
}

/**
 * Whether a request of `requested` bytes holds a disk of `virtualSize` with room to spare under one reading:
 * the whole disk in `spec.storage` (CDI adds the overhead) and on a block device, what the filesystem leaves in `spec.pvc`.
 */
export function isRoomy(
  reading: SizeReading,
  api: VolumeApi,
  requested: bigint,
  virtualSize: bigint,
): boolean {
  if (api === 'storage' || reading.mode === 'Block') return virtualSize <= requested;
  return virtualSize <= usableSpace(reading.formula, reading.overhead, requested);
}

/**
 * Whether CDI's import is certain to fail. A block device may have been rounded up by its provisioner, so Block alone is
 * never certain; beside an open Filesystem reading, what not even whole GiB could hold counts as certain.
 */
export function isTooSmall(volume: Volume, virtualSize: bigint, requested: bigint): boolean {
  const modeIsOpen = volume.readings.some((reading) => reading.mode === 'Filesystem');
  return volume.readings.every((reading) => {
    if (reading.mode === 'Block') return modeIsOpen && virtualSize > roundUpTo(reading.effective, GiB);
    return virtualSize > (volume.api === 'pvc' ? requested : reading.effective);
  });
}

/** Smallest request, in bytes and whole MiB, that is roomy under every reading. */
export function smallestRoomy(volume: Volume, virtualSize: bigint): bigint {
  const perReading = volume.readings.map((reading) => {
    if (volume.api === 'storage' || reading.mode === 'Block') return roundUpTo(virtualSize, MiB);
    let size = roundUpTo(requiredSpace(reading.formula, reading.overhead, virtualSize), MiB);
    while (!isRoomy(reading, volume.api, size, virtualSize)) size += MiB;
    return size;
  });
  return perReading.reduce((a, b) => (a > b ? a : b), MiB);
}

/** The sizes that pass, in bytes, and the one to ask for: whole GiB where that lies inside, else whole MiB. */
export interface AcceptedSizes {
  readonly from: bigint;
  /** Null: no upper bound (not a base volume). */
  readonly to: bigint | null;
  readonly suggested: bigint;
}

export function acceptedSizes(
  volume: Volume,
  virtualSize: bigint,
  data: bigint | null,
  limits: SizeLimits,
): AcceptedSizes {
  const from = smallestRoomy(volume, virtualSize);
  const bound = volume.base.isBase ? largestAccepted(virtualSize, data, limits) : null;
  // A filesystem's overhead can push the smallest size over a bound of 1 x V; what has room is then accepted still.
  const to = bound === null || bound > from ? bound : from;
  const wholeGi = roundUpTo(from, GiB);
  return { from, to, suggested: to === null || wholeGi <= to ? wholeGi : from };
}
