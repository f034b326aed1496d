import { at, groupOf, listAt, textAt } from '../object/object.ts';
import { assembleVolume } from './assemble.ts';
import { baseOf } from './base.ts';
import { readClaim } from './claim.ts';
import { skip, skipByAnnotations, skipByContent, skipIfBeingDeleted } from './skip.ts';
import { readSource } from './source.ts';
import type { ReadOptions, VolumeOutcome } from './volume.ts';

/** The name of the VolumeImportSource that fills the PVC; null where none does. */
export function namesImportSource(pvc: unknown): string | null {
  const reference = at(pvc, 'spec', 'dataSourceRef') ?? at(pvc, 'spec', 'dataSource');
  const isImport =
    textAt(reference, 'apiGroup') === 'cdi.kubevirt.io' && textAt(reference, 'kind') === 'VolumeImportSource';
  return isImport ? (textAt(reference, 'name') ?? null) : null;
}

/**
 * Reads a PVC that a VolumeImportSource fills; `importSource` is that object, undefined where it is not known. The PVC's
 * size is taken as it is, unless its label has CDI apply the StorageProfile, overhead and all.
 */
export function readImportClaim(
  pvc: unknown,
  importSource: unknown,
  { operation, storage }: ReadOptions,
): VolumeOutcome {
  const skipped =
    skipIfBeingDeleted(pvc) ??
    (operation === 'UPDATE' ? skip('update', 'spec') : null) ??
    (listAt(pvc, 'metadata', 'ownerReferences').some(isDataVolume)
      ? skip('owned-by-datavolume', 'metadata.ownerReferences')
      : null) ??
    skipByAnnotations(pvc, '');
  if (skipped) return skipped;
  if (importSource === undefined)
    return skip('no-source', 'spec.dataSourceRef', 'its VolumeImportSource is not known here');
  const spec = at(importSource, 'spec');
  const source = skipByContent(spec, '') ?? readSource(spec, '');
  // The path names a field of the PVC: of the other object there is none.
  if (source.kind === 'skip') return { ...source, field: 'spec.dataSourceRef' };
  const isRendered = textAt(pvc, 'metadata', 'labels', 'cdi.kubevirt.io/applyStorageProfile') === 'true';
  const claim = readClaim(at(pvc, 'spec'), isRendered ? 'storage' : 'pvc', 'spec');
  if (claim.kind === 'skip') return claim;
  const preallocation = at(spec, 'preallocation') === true;
  return assembleVolume(
    { claim: claim.claim, source: source.source, base: baseOf(pvc), preallocation },
    storage,
  );
}

function isDataVolume(owner: unknown): boolean {
  return (
    textAt(owner, 'kind') === 'DataVolume' && groupOf(textAt(owner, 'apiVersion') ?? '') === 'cdi.kubevirt.io'
  );
}
