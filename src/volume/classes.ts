import type { ClaimRequest } from './claim.ts';
import { DEFAULT_OVERHEAD } from './overhead.ts';
import type { OverheadFormula, StorageFacts, StorageProfileFacts } from './volume.ts';

/** A StorageClass that a volume may get. */
export interface ClassCandidate {
  /** Empty: none, on purpose. Null: one that nothing is known of. */
  readonly name: string | null;
  readonly profile: StorageProfileFacts | null;
  /** `missing`: the cluster was looked at and has no such class. */
  readonly standing: 'exists' | 'missing' | 'unknown';
}

/**
 * Every StorageClass that the claim may get; at least one. CDI takes the class named, else the default for virtualization
 * (for certain only in spec.storage), else the default. Where no default is known it may become any class.
 */
export function candidateClasses(claim: ClaimRequest, storage: StorageFacts): readonly ClassCandidate[] {
  if (claim.className !== null) return [candidate(claim.className, storage)];
  const classes = storage.classes ?? [];
  const virtDefaults = classes.filter(({ isVirtDefault }) => isVirtDefault);
  const defaults = classes.filter(({ isDefault }) => isDefault);
  const chosen =
    claim.api === 'storage' && virtDefaults.length > 0 ? virtDefaults : [...defaults, ...virtDefaults];
  if (chosen.length > 0)
    return unique(chosen.map(({ name }) => name)).map((name) => candidate(name, storage));
  const nameless: ClassCandidate = {
    name: null,
    profile: null,
    standing: isComplete(storage) ? 'missing' : 'unknown',
  };
  // With its access modes given, CDI makes the PVC at once and without a class; otherwise it waits for a default.
  if (nameless.standing === 'missing' && claim.api === 'storage' && claim.accessModes.length > 0)
    return [nameless];
  const anyClass = unique([
    ...classes.map(({ name }) => name),
    ...(storage.profiles ?? []).map(({ name }) => name),
    ...Object.keys(storage.overhead.byClass),
  ]);
  return [nameless, ...anyClass.map((name) => candidate(name, storage))];
}

/** The overhead that CDI looks up for the class; more than one where it is not known which. */
export function overheadsOf(
  { name, standing }: ClassCandidate,
  storage: StorageFacts,
  formula: OverheadFormula,
): readonly string[] {
  if (name === '') return ['0'];
  const published = name === null ? undefined : publishedOverhead(name, storage);
  if (published !== undefined) return [published];
  const global = storage.overhead.global ?? DEFAULT_OVERHEAD[formula];
  if (standing === 'exists') return [global];
  // In the place of a class that is not there CDI looks up the default class, and only without one the global value.
  const ofDefaults = (storage.classes ?? [])
    .filter(({ isDefault }) => isDefault)
    .map((defaultClass) => publishedOverhead(defaultClass.name, storage) ?? global);
  return unique(standing === 'missing' && ofDefaults.length > 0 ? ofDefaults : [global, ...ofDefaults]);
}

function candidate(name: string, storage: StorageFacts): ClassCandidate {
  if (name === '') return { name, profile: null, standing: 'missing' };
  const profile = storage.profiles?.find((known) => known.name === name) ?? null;
  const exists = profile !== null || (storage.classes ?? []).some((known) => known.name === name);
  return { name, profile, standing: exists ? 'exists' : isComplete(storage) ? 'missing' : 'unknown' };
}

/** Only a look at the cluster can tell that a class is not there. */
function isComplete(storage: StorageFacts): boolean {
  return storage.origin === 'cluster' && storage.classes !== null;
}

function publishedOverhead(name: string, { overhead }: StorageFacts): string | undefined {
  return Object.hasOwn(overhead.byClass, name) ? overhead.byClass[name] : undefined;
}

function unique(texts: readonly string[]): readonly string[] {
  return texts.length < 2 ? texts : [...new Set(texts)];
}
