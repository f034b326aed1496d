import { listAt, textAt } from '../object/object.ts';
import { TEMPLATE_OF_MACHINE } from './base.ts';
import { unlessUnchanged } from './change.ts';
import { readDataVolumeTemplate } from './datavolume.ts';
import { skipIfBeingDeleted } from './skip.ts';
import type { ReadOptions, VolumeOutcome } from './volume.ts';

/** Reads the DataVolumes that a VirtualMachine declares, each with its index in its field path. */
export function readVirtualMachine(
  object: unknown,
  oldObject: unknown,
  { operation, storage }: ReadOptions,
): VolumeOutcome[] {
  const templates = templatesOf(object);
  if (templates.length === 0) return [];
  const deleted = skipIfBeingDeleted(object);
  if (deleted) return [deleted];
  const before = operation === 'UPDATE' ? templatesByName(oldObject) : new Map<string, unknown>();
  return templates.map((template, index) => {
    const path = `spec.dataVolumeTemplates[${index}].`;
    const now = readDataVolumeTemplate(template, path, TEMPLATE_OF_MACHINE, storage);
    const old = before.get(nameOf(template));
    return old === undefined
      ? now
      : unlessUnchanged(now, readDataVolumeTemplate(old, path, TEMPLATE_OF_MACHINE, storage));
  });
}

function templatesOf(machine: unknown): readonly unknown[] {
  return listAt(machine, 'spec', 'dataVolumeTemplates');
}

/** Templates may be reordered; their names stay, and are unique in a VirtualMachine that KubeVirt admits. */
function templatesByName(machine: unknown): Map<string, unknown> {
  return new Map(templatesOf(machine).map((template) => [nameOf(template), template]));
}

function nameOf(template: unknown): string {
  return textAt(template, 'metadata', 'name') ?? '';
}
