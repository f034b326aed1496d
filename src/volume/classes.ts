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
 * (spec.storage only), else the default. Where no default is known it may become any class.
 */
export function candidateClasses(claim: ClaimRequest, storage: StorageFacts): readonly ClassCandidate[] {
  if (claim.className !== null) return [candidate(claim.className, storage)];
  const classes = storage.classes ?? [];
  const virtDefaults = classes.filter(({ isVirtDefault }) => isVirtDefault);
  const defaults = classes.filter(({ isDefault }) => isDefault);
  const chosen =
    claim.api === 'storage' && virtDefaults.length > 0
      ? virtDefaults
      : [...defaults, ...(claim.api === 'pvc' ? virtDefaults : [])];
  if (chosen.length > 0)
    return uniqueNames(chosen.map(({ name }) => name)).map((name) => candidate(name, storage));
  const anyClass = uniqueNames([
    ...classes.map(({ name }) => name),
    ...(storage.profiles ?? []).map(({ name }) => name),
    ...Object.keys(storage.overhead.byClass),
  ]);
  return [
    { name: null, profile: null, standing: isComplete(storage) ? 'missing' : 'unknown' },
    ...anyClass.map((name) => candidate(name, storage)),
  ];
}

/** The overhead that CDI looks up for the class; more than one where several classes may be the default. */
export function overheadsOf(
  { name }: ClassCandidate,
  storage: StorageFacts,
  formula: OverheadFormula,
): readonly string[] {
  if (name === '') return ['0'];
  const published = name === null ? undefined : publishedOverhead(name, storage);
  if (published !== undefined) return [published];
  // CDI falls back to the default class before it falls back to the global value.
  const ofDefaults = (storage.classes ?? [])
    .filter(({ isDefault }) => isDefault)
    .flatMap((defaultClass) => publishedOverhead(defaultClass.name, storage) ?? []);
  if (ofDefaults.length > 0) return [...new Set(ofDefaults)];
  return [storage.overhead.global ?? DEFAULT_OVERHEAD[formula]];
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

function uniqueNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
