import { groupOf, identify, type JsonObject } from '../object/object.ts';
import { readDataImportCron } from './cron.ts';
import { readDataVolume } from './datavolume.ts';
import { namesImportSource, readImportClaim } from './import-claim.ts';
import { readVirtualMachine } from './machine.ts';
import type { Operation, ReadOptions, StorageFacts, VolumeOutcome } from './volume.ts';

/** The VolumeImportSource of that name, or undefined where it is not known. */
export type FindImportSource = (namespace: string, name: string) => unknown;

type Read = (object: JsonObject, oldObject: JsonObject | null, options: ReadOptions) => VolumeOutcome[];

/** The kinds that ask for volumes, as `group/kind`. */
const KINDS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['cdi.kubevirt.io/DataVolume', (object, _, options) => [readDataVolume(object, options)]],
  ['cdi.kubevirt.io/DataImportCron', readDataImportCron],
  ['kubevirt.io/VirtualMachine', readVirtualMachine],
]);

/**
 * Every volume that the object asks for, judged or skipped; null where it is of no kind that asks for any. Never throws.
 * PersistentVolumeClaims count only where `findImportSource` is given, and only those that a VolumeImportSource fills.
 */
export function readVolumes(
  object: JsonObject,
  oldObject: JsonObject | null,
  operation: Operation,
  storage: StorageFacts,
  findImportSource?: FindImportSource,
): VolumeOutcome[] | null {
  const { apiVersion, kind, namespace } = identify(object);
  const options = { operation, storage };
  const read = KINDS.get(`${groupOf(apiVersion)}/${kind}`);
  if (read) return read(object, oldObject, options);
  if (apiVersion !== 'v1' || kind !== 'PersistentVolumeClaim' || !findImportSource) return null;
  const name = namesImportSource(object);
  return name === null ? null : [readImportClaim(object, findImportSource(namespace, name), options)];
}
