import { at, listAt } from '../../src/object/object.ts';
import { storageFromObjects } from '../../src/volume/facts.ts';
import type { StorageFacts } from '../../src/volume/volume.ts';
import { type Cluster, startCluster } from '../cluster/harness/cluster.ts';
import { until } from '../cluster/harness/until.ts';
import { CLASSES, profileOf, storageClassOf, type TestClass } from './classes.ts';
import type { Phase } from './combinations.ts';
import { cdiResource, startCdiController, untilClassesAreKnown } from './controller.ts';

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class';
const IS_VIRT_DEFAULT = 'storageclass.kubevirt.io/is-default-virt-class';

/** A real API server with CDI's controller and all StorageClasses of classes.ts. */
export interface StorageCluster {
  /** Makes the cluster say of its storage what the phase wants it to, and reads that as we would. */
  enter(phase: Phase): Promise<StorageFacts>;
  profiles(): Promise<readonly unknown[]>;
  /**
   * Creates DataVolumes in a new namespace, and waits until CDI has decided on each of them: by name the PVC that it made,
   * or null where it says that it can not make one.
   */
  decide(namespace: string, dataVolumes: readonly object[]): Promise<ReadonlyMap<string, unknown>>;
  stop(): Promise<void>;
}

export async function startStorageCluster(): Promise<StorageCluster> {
  const cluster = await startCluster({ crds: ['cdi'] });
  try {
    await apply(cluster, [cdiResource(cdiSpec(undefined))]);
    const controller = await startCdiController(cluster);
    await apply(cluster, CLASSES.map(storageClassOf));
    await untilClassesAreKnown(cluster);
    await apply(
      cluster,
      CLASSES.map(profileOf).filter((profile) => profile !== null),
    );
    await until('CDI has taken up the profiles', async () => {
      const profiles = await profilesOf(cluster);
      return CLASSES.every((row) => hasTakenUp(profileNamed(profiles, row.name), row));
    });
    return {
      enter: (phase) => enter(cluster, phase),
      profiles: () => profilesOf(cluster),
      decide: (namespace, dataVolumes) => decide(cluster, namespace, dataVolumes),
      stop: async () => {
        await controller.stop();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

export function profileNamed(profiles: readonly unknown[], name: string | null): unknown {
  return profiles.find((profile) => at(profile, 'metadata', 'name') === name);
}

async function apply({ kubectl }: Cluster, objects: readonly object[]): Promise<void> {
  await kubectl.must(
    ['apply', '--server-side', '--force-conflicts', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
  );
}

async function profilesOf({ kubectl }: Cluster): Promise<readonly unknown[]> {
  return listAt(await kubectl.getJson('storageprofiles'), 'items');
}

function cdiSpec(global: string | undefined) {
  const storageClass = Object.fromEntries(
    CLASSES.flatMap(({ name, overhead }) => (overhead === undefined ? [] : [[name, overhead]])),
  );
  return { config: { filesystemOverhead: { ...(global === undefined ? {} : { global }), storageClass } } };
}

function hasTakenUp(profile: unknown, { profile: asked }: TestClass): boolean {
  const sets = asked?.claimPropertySets?.length ?? 0;
  return (
    (sets === 0 || listAt(profile, 'status', 'claimPropertySets').length === sets) &&
    (asked?.cloneStrategy === undefined || at(profile, 'status', 'cloneStrategy') === asked.cloneStrategy)
  );
}

async function enter(cluster: Cluster, { overhead, defaults, virtDefaults }: Phase): Promise<StorageFacts> {
  const classes = CLASSES.map((row) =>
    storageClassOf({
      ...row,
      annotations: {
        ...row.annotations,
        [IS_DEFAULT]: String(defaults.includes(row.name)),
        [IS_VIRT_DEFAULT]: String(virtDefaults.includes(row.name)),
      },
    }),
  );
  await apply(cluster, [cdiResource(cdiSpec(overhead)), ...classes]);
  await until('CDI has taken up the overheads', async () => {
    const config = await cluster.kubectl.getJson('cdiconfig', 'config');
    const published = at(config, 'status', 'filesystemOverhead');
    const global = overhead ?? '0.06';
    return (
      at(published, 'global') === global &&
      CLASSES.every((row) => at(published, 'storageClass', row.name) === (row.overhead ?? global))
    );
  });
  const kinds = 'storageclasses,storageprofiles,cdiconfigs,cdis';
  return storageFromObjects(listAt(await cluster.kubectl.getJson(kinds), 'items'), 'cluster', 'multiply');
}

async function decide(cluster: Cluster, namespace: string, dataVolumes: readonly object[]) {
  const { kubectl } = cluster;
  await kubectl.must(['create', 'namespace', namespace]);
  await kubectl.must(
    ['create', '-n', namespace, '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: dataVolumes }),
  );
  const decided = new Map<string, unknown>();
  await until(
    'CDI has decided on every DataVolume',
    async () => {
      const list = await kubectl.getJson('-n', namespace, 'datavolumes,persistentvolumeclaims');
      for (const object of listAt(list, 'items')) {
        const name = String(at(object, 'metadata', 'name'));
        if (at(object, 'kind') === 'PersistentVolumeClaim') decided.set(name, object);
        else if (isWaiting(object) && !decided.has(name)) decided.set(name, null);
      }
      return decided.size >= dataVolumes.length;
    },
    180_000,
  );
  return decided;
}

function isWaiting(dataVolume: unknown): boolean {
  return listAt(dataVolume, 'status', 'conditions').some(
    (condition) => at(condition, 'type') === 'Bound' && at(condition, 'reason') === 'ErrClaimNotValid',
  );
}
