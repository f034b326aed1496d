import { groupOf, listAt, textAt } from '../object/object.ts';
import type { Volume } from './volume.ts';

type Base = Volume['base'];

export const TEMPLATE_OF_CRON: Base = { isBase: true, because: 'it is the template of a DataImportCron' };
export const TEMPLATE_OF_MACHINE: Base = {
  isBase: false,
  because: 'it is declared in the dataVolumeTemplates of a VirtualMachine',
};

/** Whether an import that stands on its own (a DataVolume, or a PVC) is there to be cloned, or is one machine's disk. */
export function baseOf(object: unknown): Base {
  if (listAt(object, 'metadata', 'ownerReferences').some(isMachine))
    return { isBase: false, because: 'it is owned by a VirtualMachine' };
  // KubeVirt labels what it makes for a machine; the label outlives an owner reference that was cut.
  if (textAt(object, 'metadata', 'labels', 'kubevirt.io/created-by') !== undefined)
    return { isBase: false, because: 'KubeVirt made it for a VirtualMachine' };
  return { isBase: true, because: 'it imports an image and belongs to no VirtualMachine' };
}

function isMachine(owner: unknown): boolean {
  return (
    textAt(owner, 'kind') === 'VirtualMachine' && groupOf(textAt(owner, 'apiVersion') ?? '') === 'kubevirt.io'
  );
}
