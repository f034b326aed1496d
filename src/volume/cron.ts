import { at } from '../object/object.ts';
import { TEMPLATE_OF_CRON } from './base.ts';
import { unlessUnchanged } from './change.ts';
import { readDataVolumeTemplate } from './datavolume.ts';
import { skipIfBeingDeleted } from './skip.ts';
import type { ReadOptions, StorageFacts, VolumeOutcome } from './volume.ts';

/** Reads the template of a DataImportCron: every volume that it makes is there to be cloned. */
export function readDataImportCron(
  object: unknown,
  oldObject: unknown,
  { operation, storage }: ReadOptions,
): VolumeOutcome[] {
  const deleted = skipIfBeingDeleted(object);
  if (deleted) return [deleted];
  const now = readTemplate(object, storage);
  return [operation === 'UPDATE' ? unlessUnchanged(now, readTemplate(oldObject, storage)) : now];
}

function readTemplate(cron: unknown, storage: StorageFacts): VolumeOutcome {
  return readDataVolumeTemplate(at(cron, 'spec', 'template'), 'spec.template.', TEMPLATE_OF_CRON, storage);
}
