import type { ClassCandidate } from './classes.ts';
import type { CloneStrategy, StorageFacts, Volume } from './volume.ts';

/** How CDI will clone a volume, as far as it can be foretold. */
export type CloneForecast = Pick<Volume, 'cloneStrategy' | 'hostAssistedBecause'>;

export interface ClonedVolume {
  readonly candidates: readonly ClassCandidate[];
  /** Whether it is a block device under every reading. */
  readonly isBlock: boolean;
  readonly preallocation: boolean;
}

/** Foretells the clones of a volume, into the class that it is in itself. CDI's override wins over the StorageProfile. */
export function forecastClones(volume: ClonedVolume, storage: StorageFacts): CloneForecast {
  const cloneStrategy = storage.cloneStrategyOverride ?? agreedStrategy(volume.candidates);
  if (cloneStrategy !== 'copy') return { cloneStrategy, hostAssistedBecause: null };
  return { cloneStrategy, hostAssistedBecause: `${whoSaysCopy(volume, storage)}${whatItCosts(volume)}` };
}

function agreedStrategy(candidates: readonly ClassCandidate[]): CloneStrategy | null {
  const [first, ...others] = candidates.map(({ profile }) => profile?.cloneStrategy ?? null);
  return first !== undefined && others.every((strategy) => strategy === first) ? first : null;
}

function whoSaysCopy({ candidates }: ClonedVolume, storage: StorageFacts): string {
  if (storage.cloneStrategyOverride !== null) return 'the CDI resource sets cloneStrategyOverride to copy';
  const [only, ...others] = candidates;
  return others.length === 0 && only?.profile
    ? `StorageProfile ${only.profile.name} has the clone strategy copy`
    : 'every StorageProfile that it may get has the clone strategy copy';
}

/** A copy skips the holes of a sparse file; of a block device or a preallocated file it reads every byte. */
function whatItCosts({ isBlock, preallocation }: ClonedVolume): string {
  if (isBlock) return ', which reads a Block volume from end to end';
  return preallocation ? ', which reads a preallocated volume from end to end' : '';
}
