import type { JsonObject } from '../object/object.ts';
import { storageFromObjects } from '../volume/facts.ts';
import type { StorageFacts } from '../volume/volume.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { kubeErrorCode } from './failures.ts';
import { patiently, readObjects } from './paging.ts';

export interface StorageReading {
  readonly facts: StorageFacts;
  /** Kinds that this user may not read, so that nothing is known of them: a fault of RBAC. */
  readonly forbidden: readonly string[];
}

const CDI = 'cdi.kubevirt.io/v1beta1';

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  /** The path is one object's. */
  readonly single?: boolean;
}

const CLASSES: Resource = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  path: '/apis/storage.k8s.io/v1/storageclasses',
};
const PROFILES: Resource = { apiVersion: CDI, kind: 'StorageProfile', path: `/apis/${CDI}/storageprofiles` };
const CDIS: Resource = { apiVersion: CDI, kind: 'CDI', path: `/apis/${CDI}/cdis` };
/** CDI makes one, of this name. */
const CONFIG: Resource = {
  apiVersion: CDI,
  kind: 'CDIConfig',
  path: `/apis/${CDI}/cdiconfigs/config`,
  single: true,
};

const A_PAGE = 100;

/** What the cluster says of its storage. CDI's kinds may be missing: nothing is known of them then. Throws KubeError. */
export async function readStorage(api: KubeApi, pass: Pass): Promise<StorageReading> {
  const [classes, profiles, cdis, config] = await Promise.all([
    readResource(api, CLASSES, pass),
    readResource(api, PROFILES, pass),
    readResource(api, CDIS, pass),
    readResource(api, CONFIG, pass),
  ]);
  const all = [classes, profiles, cdis, config];
  const facts = storageFromObjects(
    all.flatMap(({ objects }) => objects ?? []),
    'cluster',
  );
  return {
    facts: {
      ...facts,
      classes: classes.objects === null ? null : facts.classes,
      profiles: profiles.objects === null ? null : facts.profiles,
    },
    forbidden: all.filter(({ isForbidden }) => isForbidden).map(({ kind }) => kind),
  };
}

interface ReadResource {
  readonly kind: string;
  /** Null: not known. */
  readonly objects: readonly JsonObject[] | null;
  readonly isForbidden: boolean;
}

async function readResource(api: KubeApi, resource: Resource, pass: Pass): Promise<ReadResource> {
  const { apiVersion, kind, path, single } = resource;
  try {
    const objects = single
      ? [{ ...(await patiently((call) => api.get(path, call), pass)), apiVersion, kind }]
      : await readObjects(api, { path, limit: A_PAGE }, { apiVersion, kind }, pass);
    return { kind, objects, isForbidden: false };
  } catch (error) {
    const code = kubeErrorCode(error);
    if (code !== 'not-found' && code !== 'forbidden') throw error;
    return { kind, objects: null, isForbidden: code === 'forbidden' };
  }
}
