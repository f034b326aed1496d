import { isDeepStrictEqual } from 'node:util';
import { skip } from './skip.ts';
import type { VolumeOutcome } from './volume.ts';

/**
 * The new reading of a template, or a skip where the old template, read in the same way, asked for the same volume:
 * what was let in once must not block every later update of its object.
 */
export function unlessUnchanged(now: VolumeOutcome, before: VolumeOutcome): VolumeOutcome {
  if (now.kind === 'skip' || !isDeepStrictEqual(withoutSpelling(now), withoutSpelling(before))) return now;
  return skip('unchanged', now.volume.field);
}

/** 10Gi and 10240Mi are the same size; and a template is the same wherever it stands in its list. */
function withoutSpelling(outcome: VolumeOutcome): unknown {
  if (outcome.kind === 'skip') return outcome;
  const { field: _, requested, ...rest } = outcome.volume;
  return { ...rest, requested: requested.nanos };
}
