import { bytesOf } from '../quantity/parse.ts';
import type { ClaimRequest } from './claim.ts';
import { type ClassCandidate, overheadsOf } from './classes.ts';
import { volumeModes } from './mode.ts';
import { DEFAULT_OVERHEAD, parseOverhead, requiredSpace, usableSpace } from './overhead.ts';
import type { OverheadFormula, SizeReading, StorageFacts, VolumeMode } from './volume.ts';

/** Every reading of the claim's size that what is known of the cluster leaves open, each once; at least one. */
export function sizeReadings(
  claim: ClaimRequest,
  candidates: readonly ClassCandidate[],
  storage: StorageFacts,
): readonly SizeReading[] {
  const formulas: readonly OverheadFormula[] =
    storage.formula === null ? ['divide', 'multiply'] : [storage.formula];
  const readings: SizeReading[] = [];
  for (const formula of formulas)
    for (const candidate of candidates)
      for (const mode of volumeModes(claim, candidate, formula))
        for (const overhead of mode === 'Block' ? [0] : overheadNumbers(candidate, storage, formula)) {
          const reading = readSize(claim, candidate, mode, formula, overhead);
          if (!readings.some((known) => isSame(known, reading))) readings.push(reading);
        }
  return readings;
}

/** Of a block device the formula says nothing. */
function isSame(one: SizeReading, other: SizeReading): boolean {
  return (
    one.mode === other.mode &&
    one.overhead === other.overhead &&
    one.effective === other.effective &&
    (one.mode === 'Block' || one.formula === other.formula)
  );
}

function readSize(
  claim: ClaimRequest,
  { profile }: ClassCandidate,
  mode: VolumeMode,
  formula: OverheadFormula,
  overhead: number,
): SizeReading {
  const requested = bytesOf(claim.requested);
  const effective = claim.api === 'pvc' ? requested : inflate();
  const usable = mode === 'Block' ? effective : usableSpace(formula, overhead, effective);
  return { mode, formula, overhead, effective, usable };

  function inflate(): bigint {
    const size = mode === 'Block' ? requested : requiredSpace(formula, overhead, requested);
    const minimum = profile?.minimumSupportedPvcSize ?? 0n;
    return size < minimum ? minimum : size;
  }
}

function overheadNumbers(
  candidate: ClassCandidate,
  storage: StorageFacts,
  formula: OverheadFormula,
): readonly number[] {
  return overheadsOf(candidate, storage, formula).map(
    (text) => parseOverhead(text) ?? Number(DEFAULT_OVERHEAD[formula]),
  );
}
