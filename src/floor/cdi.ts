import { at, isBeingDeleted, listAt } from '../object/object.ts';
import type { FloorSubject, FloorTarget } from './floor.ts';
import { checkStorageWorkloads, judgeStorageWorkloads, type StorageWorkloads } from './storage-workloads.ts';

/** Older and newer versions keep the value in the same place. */
const API_VERSIONS = ['cdi.kubevirt.io/v1alpha1', 'cdi.kubevirt.io/v1beta1'];

const WORKLOADS: StorageWorkloads = {
  target: 'cdi',
  path: ['spec', 'config', 'podResourceRequirements'],
  notes: [],
};

const OWNED = 'the HyperConverged Cluster Operator owns this CDI and would write it back';
const FIELD_TO_SET =
  'set it in the HyperConverged: spec.storage.workloadResourceRequirements (v1) or spec.resourceRequirements.storageWorkloads (v1beta1)';

/** The pods of CDI that import, upload and clone: `spec.config.podResourceRequirements` of the CDI custom resource. */
export const cdi: FloorTarget = {
  name: 'cdi',
  kinds: [{ group: 'cdi.kubevirt.io', kind: 'CDI' }],
  judge: (subject, settings, context) => {
    const { object } = subject;
    if (!API_VERSIONS.some((version) => version === object.apiVersion))
      return skip('its API version is not known');
    if (isBeingDeleted(object)) return skip('it is being deleted');
    if (!isOwnedByHco(subject)) return judgeStorageWorkloads(WORKLOADS, subject, settings, context);
    const verdict = checkStorageWorkloads(WORKLOADS, subject, settings, context);
    const isLow = verdict.ok && verdict.check.operations.length > 0;
    return skip(OWNED, isLow ? `${verdict.check.field} is below its floor; ${FIELD_TO_SET}` : null);
  },
};

function isOwnedByHco({ object }: FloorSubject): boolean {
  return (
    at(object, 'metadata', 'name') === 'cdi-kubevirt-hyperconverged' ||
    at(object, 'metadata', 'labels', 'app.kubernetes.io/managed-by') === 'hco-operator' ||
    listAt(object, 'metadata', 'ownerReferences').some((owner) => at(owner, 'kind') === 'HyperConverged')
  );
}

function skip(reason: string, warning: string | null = null) {
  return { kind: 'skip', target: 'cdi', reason, warning } as const;
}
