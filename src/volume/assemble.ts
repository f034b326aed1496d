import type { ClaimRequest } from './claim.ts';
import { candidateClasses } from './classes.ts';
import { forecastClones } from './clone.ts';
import { sizeReadings } from './size.ts';
import type { StorageFacts, Volume, VolumeOutcome } from './volume.ts';

/** What an object itself says of a volume. */
export interface AskedVolume extends Pick<Volume, 'source' | 'base' | 'preallocation'> {
  readonly claim: ClaimRequest;
}

/** Completes what is asked for with what is known of the storage that it is asked of. */
export function assembleVolume(
  { claim, source, base, preallocation }: AskedVolume,
  storage: StorageFacts,
): VolumeOutcome {
  const candidates = candidateClasses(claim, storage);
  const readings = sizeReadings(claim, candidates, storage);
  const isBlock = readings.every(({ mode }) => mode === 'Block');
  const name = candidates.length === 1 ? candidates[0]?.name : null;
  return {
    kind: 'volume',
    volume: {
      api: claim.api,
      requested: claim.requested,
      field: claim.field,
      source,
      readings,
      storageClass: name || null,
      ...forecastClones({ candidates, isBlock, preallocation }, storage),
      preallocation,
      base,
    },
  };
}
