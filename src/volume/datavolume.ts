import { at } from '../object/object.ts';
import { assembleVolume } from './assemble.ts';
import { baseOf } from './base.ts';
import { readDataVolumeClaim } from './claim.ts';
import { skip, skipByAnnotations, skipByContent, skipIfBeingDeleted } from './skip.ts';
import { readSource } from './source.ts';
import type { ReadOptions, StorageFacts, Volume, VolumeOutcome } from './volume.ts';

/** Reads a DataVolume. Its spec is immutable, so an UPDATE asks for nothing new. */
export function readDataVolume(object: unknown, { operation, storage }: ReadOptions): VolumeOutcome {
  return (
    skipIfBeingDeleted(object) ??
    (operation === 'UPDATE' ? skip('update', 'spec') : null) ??
    readDataVolumeTemplate(object, '', baseOf(object), storage)
  );
}

/** Reads an object with the metadata and spec of a DataVolume; `path` is where it lies, empty or with its dot. */
export function readDataVolumeTemplate(
  template: unknown,
  path: string,
  base: Volume['base'],
  storage: StorageFacts,
): VolumeOutcome {
  const spec = at(template, 'spec');
  const specPath = `${path}spec`;
  const skipped = skipByAnnotations(template, path) ?? skipByContent(spec, specPath);
  if (skipped) return skipped;
  const source = readSource(spec, specPath);
  if (source.kind === 'skip') return source;
  const claim = readDataVolumeClaim(spec, specPath);
  if (claim.kind === 'skip') return claim;
  const preallocation = at(spec, 'preallocation') === true;
  return assembleVolume({ claim: claim.claim, source: source.source, base, preallocation }, storage);
}
