import type { JsonObject } from '../object/object.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { kubeErrorCode } from './failures.ts';
import { readObjects } from './paging.ts';

/** Every kind that is judged, or helps to judge another. */
const RESOURCES = [
  { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', plural: 'datavolumes' },
  { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataImportCron', plural: 'dataimportcrons' },
  { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'VolumeImportSource', plural: 'volumeimportsources' },
  { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', plural: 'virtualmachines' },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet', plural: 'daemonsets' },
  { apiVersion: 'hco.kubevirt.io/v1beta1', kind: 'HyperConverged', plural: 'hyperconvergeds' },
  { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'CDI', plural: 'cdis', clusterScoped: true },
] as const;

export interface SubjectSelection {
  /** Null: all. Kinds without a namespace are read in any case. */
  readonly namespace: string | null;
  /** As kubectl's --selector; null: all. */
  readonly labelSelector: string | null;
}

export interface Subjects {
  readonly objects: readonly JsonObject[];
  /** Kinds that this user may not read. */
  readonly forbidden: readonly string[];
}

const A_PAGE = 250;

/** Every object of the cluster that could be judged, by paged lists. Kinds that are not installed are left out. Throws KubeError. */
export async function readSubjects(api: KubeApi, selection: SubjectSelection, pass: Pass): Promise<Subjects> {
  const { namespace, labelSelector } = selection;
  const objects: JsonObject[] = [];
  const forbidden: string[] = [];
  for (const { apiVersion, kind, plural, ...resource } of RESOURCES) {
    const prefix = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const scope =
      namespace === null || 'clusterScoped' in resource ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
    const request = {
      path: `${prefix}${scope}/${plural}`,
      limit: A_PAGE,
      labelSelector: labelSelector ?? undefined,
    };
    try {
      objects.push(...(await readObjects(api, request, { apiVersion, kind }, pass)));
    } catch (error) {
      const code = kubeErrorCode(error);
      if (code === 'forbidden') forbidden.push(kind);
      else if (code !== 'not-found') throw error;
    }
  }
  return { objects, forbidden };
}
