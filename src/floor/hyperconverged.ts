import { isBeingDeleted, textAt } from '../object/object.ts';
import type { FloorTarget } from './floor.ts';
import { judgeStorageWorkloads } from './storage-workloads.ts';

/** Where each version keeps what its operator writes to `spec.config.podResourceRequirements` of CDI. */
const PATHS: ReadonlyMap<string, readonly string[]> = new Map([
  ['hco.kubevirt.io/v1beta1', ['spec', 'resourceRequirements', 'storageWorkloads']],
  ['hco.kubevirt.io/v1', ['spec', 'storage', 'workloadResourceRequirements']],
]);

/** A JSON patch that the operator applies to CDI after it has filled in the field. */
const CDI_PATCH = 'containerizeddataimporter.kubevirt.io/jsonpatch';

/** CDI's pods where the HyperConverged Cluster Operator owns the CDI custom resource. */
export const hyperconverged: FloorTarget = {
  name: 'hyperconverged',
  kinds: [{ group: 'hco.kubevirt.io', kind: 'HyperConverged' }],
  judge: (subject, settings, context) => {
    const { object } = subject;
    const path = PATHS.get(textAt(object, 'apiVersion') ?? '');
    if (path === undefined) return skip('its API version is not known');
    if (isBeingDeleted(object)) return skip('it is being deleted');
    const patch = textAt(object, 'metadata', 'annotations', CDI_PATCH) ?? '';
    const notes = patch.includes('podResourceRequirements')
      ? [`the annotation ${CDI_PATCH} also writes podResourceRequirements, after this field`]
      : [];
    return judgeStorageWorkloads({ target: 'hyperconverged', path, notes }, subject, settings, context);
  },
};

function skip(reason: string) {
  return { kind: 'skip', target: 'hyperconverged', reason, warning: null } as const;
}
