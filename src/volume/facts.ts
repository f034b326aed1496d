import { at, groupOf, identify, listAt, objectAt, textAt } from '../object/object.ts';
import { bytesOf, parseQuantity } from '../quantity/parse.ts';
import { parseOverhead } from './overhead.ts';
import type {
  ClaimPropertySet,
  CloneStrategy,
  OverheadFormula,
  StorageClassFacts,
  StorageFacts,
  StorageProfileFacts,
} from './volume.ts';

/** What is known of the storage where nothing was looked at. */
export const DEFAULT_STORAGE: StorageFacts = {
  origin: 'defaults',
  overhead: { global: null, byClass: {} },
  formula: null,
  classes: null,
  profiles: null,
  cloneStrategyOverride: null,
};

/**
 * Reads what objects of a cluster, or manifests, say of its storage; objects of other kinds are passed over. CDI publishes
 * its overheads but not its formula, so `formula` is the caller's to know. Never throws.
 */
export function storageFromObjects(
  objects: readonly unknown[],
  origin: 'manifests' | 'cluster',
  formula: OverheadFormula | null = null,
): StorageFacts {
  const ofKind = (wanted: string) =>
    objects.filter((object) => {
      const { apiVersion, kind, name } = identify(object);
      // Names go into messages; no class or profile of a cluster has any other.
      return `${groupOf(apiVersion)}/${kind}` === wanted && /^[a-z0-9.-]{1,253}$/.test(name);
    });
  const configs = ofKind('cdi.kubevirt.io/CDIConfig').filter((config) => identify(config).name === 'config');
  const cdis = ofKind('cdi.kubevirt.io/CDI');
  const classes = ofKind('storage.k8s.io/StorageClass');
  const profiles = ofKind('cdi.kubevirt.io/StorageProfile');
  if (origin === 'manifests' && [configs, cdis, classes, profiles].every((found) => found.length === 0))
    return { ...DEFAULT_STORAGE, formula };
  const isKnown = (found: readonly unknown[]) => origin === 'cluster' || found.length > 0;
  return {
    origin,
    formula,
    // What CDI made of its configuration, else the configuration itself.
    overhead: readOverhead(
      configs.map((config) => at(config, 'status', 'filesystemOverhead')).find((found) => found != null) ??
        cdis.map((cdi) => at(cdi, 'spec', 'config', 'filesystemOverhead')).find((found) => found != null),
    ),
    classes: isKnown(classes) ? readClasses(classes) : null,
    profiles: isKnown(profiles) ? profiles.map(readProfile) : null,
    cloneStrategyOverride: firstStrategy(cdis.map((cdi) => at(cdi, 'spec', 'cloneStrategyOverride'))),
  };
}

function readOverhead(overhead: unknown): StorageFacts['overhead'] {
  const global = readPercent(at(overhead, 'global'));
  const byClass = Object.entries(objectAt(overhead, 'storageClass') ?? {}).flatMap(([name, value]) => {
    const percent = readPercent(value);
    return percent === null ? [] : [[name, percent] as const];
  });
  return { global, byClass: Object.fromEntries(byClass) };
}

function readPercent(value: unknown): string | null {
  return typeof value === 'string' && parseOverhead(value) !== null ? value : null;
}

function readClasses(classes: readonly unknown[]): readonly StorageClassFacts[] {
  const defaults = newestWith('storageclass.kubernetes.io/is-default-class', classes);
  const virtDefaults = newestWith('storageclass.kubevirt.io/is-default-virt-class', classes);
  return classes.map((storageClass) => ({
    name: identify(storageClass).name,
    isDefault: defaults.includes(storageClass),
    isVirtDefault: virtDefaults.includes(storageClass),
  }));
}

/** Of several defaults CDI and Kubernetes take the newest, then the first by name. Without creation times it may be any. */
function newestWith(annotation: string, classes: readonly unknown[]): readonly unknown[] {
  const annotated = classes.filter(
    (storageClass) => textAt(storageClass, 'metadata', 'annotations', annotation) === 'true',
  );
  if (annotated.some((storageClass) => createdAt(storageClass) === '')) return annotated;
  return annotated.sort(byAge).slice(0, 1);
}

function byAge(a: unknown, b: unknown): number {
  // RFC 3339 in UTC, as the API server writes it, sorts as text.
  if (createdAt(a) !== createdAt(b)) return createdAt(a) > createdAt(b) ? -1 : 1;
  return identify(a).name < identify(b).name ? -1 : 1;
}

function createdAt(object: unknown): string {
  return textAt(object, 'metadata', 'creationTimestamp') ?? '';
}

function readProfile(profile: unknown): StorageProfileFacts {
  const minimum = parseQuantity(
    at(profile, 'metadata', 'annotations', 'cdi.kubevirt.io/minimumSupportedPvcSize'),
  );
  const inStatus = listAt(profile, 'status', 'claimPropertySets');
  const sets = inStatus.length > 0 ? inStatus : listAt(profile, 'spec', 'claimPropertySets');
  return {
    name: identify(profile).name,
    claimPropertySets: sets.map(readPropertySet),
    cloneStrategy: firstStrategy([
      at(profile, 'status', 'cloneStrategy'),
      at(profile, 'spec', 'cloneStrategy'),
    ]),
    minimumSupportedPvcSize: minimum.ok ? bytesOf(minimum.quantity) : null,
  };
}

function readPropertySet(set: unknown): ClaimPropertySet {
  return {
    accessModes: listAt(set, 'accessModes').filter((mode) => typeof mode === 'string'),
    volumeMode: at(set, 'volumeMode') === 'Block' ? 'Block' : 'Filesystem',
  };
}

function firstStrategy(values: readonly unknown[]): CloneStrategy | null {
  return values.find((value) => value === 'copy' || value === 'snapshot' || value === 'csi-clone') ?? null;
}
