import { at, isBeingDeleted, listAt, textAt } from '../object/object.ts';
import type { SkipCode, VolumeOutcome } from './volume.ts';

type Skip = Extract<VolumeOutcome, { kind: 'skip' }>;

/** Why a volume is not judged, in the words that people read; each goes on from "not judged: ". */
export const SKIP_REASONS: Readonly<Record<SkipCode, string>> = {
  clone: 'it is a clone, whose size CDI holds against its source',
  blank: 'it is an empty disk, which may have any size',
  upload: 'its image is uploaded later',
  imageio: 'its disk comes from oVirt, where it cannot be looked at',
  vddk: 'its disk comes from VMware, where it cannot be looked at',
  'external-population': 'it is populated from elsewhere than an image',
  checkpoints: 'it is imported in several stages',
  archive: 'it unpacks an archive, which has no disk size',
  'pre-populated': 'its PVC is populated already',
  'populated-for': 'its PVC is populated already',
  'owned-by-datavolume': 'it belongs to a DataVolume, which is judged in its place',
  'claim-adoption': 'it may adopt a PVC that is there already',
  'static-volume': 'it takes a volume that is there already',
  'being-deleted': 'it is being deleted',
  update: 'its size cannot be changed any more',
  'no-source': 'it names no source that an image could come from',
  'no-size': 'it names no size',
  'bad-size': 'its size is one that CDI refuses',
  unchanged: 'its size and its image did not change',
};

/** CDI looks at their presence, whatever their value. */
const PRESENT: readonly (readonly [string, SkipCode])[] = [
  ['cdi.kubevirt.io/storage.prePopulated', 'pre-populated'],
  ['cdi.kubevirt.io/storage.populatedFor', 'populated-for'],
  ['cdi.kubevirt.io/storage.checkStaticVolume', 'static-volume'],
];

/** What Go's strconv.ParseBool, by which CDI reads the annotation, takes for true. */
const TRUE = /^(?:1|t|T|TRUE|true|True)$/;

/** A skip with the reason of its code, or a closer one. */
export function skip(code: SkipCode, field: string, reason = SKIP_REASONS[code]): Skip {
  return { kind: 'skip', code, reason, field };
}

/** Skips what already has its data (restores, adopted and static volumes); `path` is where `object` lies, empty or with its dot. */
export function skipByAnnotations(object: unknown, path: string): Skip | null {
  const annotations = at(object, 'metadata', 'annotations');
  const field = `${path}metadata.annotations`;
  for (const [name, code] of PRESENT) if (typeof at(annotations, name) === 'string') return skip(code, field);
  const adoption = textAt(annotations, 'cdi.kubevirt.io/allowClaimAdoption') ?? '';
  return TRUE.test(adoption) ? skip('claim-adoption', field) : null;
}

/** Skips objects that are on their way out: an answer to their updates could only block their finalizers. */
export function skipIfBeingDeleted(object: unknown): Skip | null {
  return isBeingDeleted(object) ? skip('being-deleted', 'metadata.deletionTimestamp') : null;
}

/** Skips imports whose size says nothing about one image; `path` is where the spec lies. */
export function skipByContent(spec: unknown, path: string): Skip | null {
  if (at(spec, 'contentType') === 'archive') return skip('archive', `${path}.contentType`);
  return listAt(spec, 'checkpoints').length > 0 ? skip('checkpoints', `${path}.checkpoints`) : null;
}
