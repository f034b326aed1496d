import { type JsonObject, objectAt } from '../object/object.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { kubeErrorCode } from './failures.ts';
import { readObjects } from './paging.ts';

interface Resource {
  readonly kind: string;
  /** The first that the cluster serves is read. */
  readonly apiVersions: readonly string[];
  readonly plural: string;
  readonly clusterScoped?: boolean;
  /** It is not judged, but helps to judge others, whatever its labels. */
  readonly helps?: boolean;
}

const CDI = ['cdi.kubevirt.io/v1beta1'];

/** Every kind that can be judged, or helps to judge another. */
const RESOURCES: readonly Resource[] = [
  { kind: 'DataVolume', apiVersions: CDI, plural: 'datavolumes' },
  { kind: 'DataImportCron', apiVersions: CDI, plural: 'dataimportcrons' },
  { kind: 'VolumeImportSource', apiVersions: CDI, plural: 'volumeimportsources', helps: true },
  { kind: 'VirtualMachine', apiVersions: ['kubevirt.io/v1'], plural: 'virtualmachines' },
  { kind: 'PersistentVolumeClaim', apiVersions: ['v1'], plural: 'persistentvolumeclaims' },
  { kind: 'DaemonSet', apiVersions: ['apps/v1'], plural: 'daemonsets' },
  { kind: 'Deployment', apiVersions: ['apps/v1'], plural: 'deployments' },
  { kind: 'StatefulSet', apiVersions: ['apps/v1'], plural: 'statefulsets' },
  {
    kind: 'HyperConverged',
    apiVersions: ['hco.kubevirt.io/v1beta1', 'hco.kubevirt.io/v1'],
    plural: 'hyperconvergeds',
  },
  { kind: 'CDI', apiVersions: CDI, plural: 'cdis', clusterScoped: true },
];

export interface SubjectSelection {
  /** Of the kinds that can be judged, those to read. */
  readonly kinds: ReadonlySet<string>;
  /** Null: all. Kinds without a namespace are read in any case. */
  readonly namespace: string | null;
  /** As kubectl's --selector; null: all. */
  readonly labelSelector: string | null;
}

export interface Subjects {
  /** As they are stored, but without status and managed fields: nothing is judged by these, and they are half of each. */
  readonly objects: readonly JsonObject[];
  /** Kinds that this user may not read. */
  readonly forbidden: readonly string[];
}

const A_PAGE = 250;

/** The objects of the cluster that are to be judged, by paged lists. Kinds that are not installed are left out. Throws KubeError. */
export async function readSubjects(api: KubeApi, selection: SubjectSelection, pass: Pass): Promise<Subjects> {
  const objects: JsonObject[] = [];
  const forbidden: string[] = [];
  for (const resource of RESOURCES.filter(({ kind }) => selection.kinds.has(kind))) {
    const read = await readResource(api, resource, selection, pass);
    if (read === 'forbidden') forbidden.push(resource.kind);
    else objects.push(...read);
  }
  return { objects, forbidden };
}

async function readResource(
  api: KubeApi,
  { kind, apiVersions, plural, clusterScoped, helps }: Resource,
  { namespace, labelSelector }: SubjectSelection,
  pass: Pass,
): Promise<readonly JsonObject[] | 'forbidden'> {
  const scope = namespace === null || clusterScoped ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const selector = helps || labelSelector === null ? undefined : labelSelector;
  for (const apiVersion of apiVersions) {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const request = { path: `${root}${scope}/${plural}`, limit: A_PAGE, labelSelector: selector };
    try {
      return (await readObjects(api, request, { apiVersion, kind }, pass)).map(withoutBookkeeping);
    } catch (error) {
      const code = kubeErrorCode(error);
      if (code === 'forbidden') return 'forbidden';
      if (code !== 'not-found') throw error;
    }
  }
  return [];
}

function withoutBookkeeping({ status: _status, ...object }: JsonObject): JsonObject {
  const { managedFields: _managedFields, ...metadata } = objectAt(object, 'metadata') ?? {};
  return { ...object, metadata };
}
