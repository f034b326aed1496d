import type { Settings } from '../config/settings.ts';
import type { Density } from '../density/density.ts';
import { planningDensity } from '../density/planning.ts';
import { createLook, type LookOptions } from '../evaluate/look.ts';
import { lookOptionsOf } from '../evaluate/look-options.ts';
import type { World } from '../evaluate/world.ts';
import { connectionLimitIn } from '../floor/connection-limit.ts';
import { identify, type JsonObject } from '../object/object.ts';
import { resolveAll } from '../source/resolve.ts';
import { openSource } from '../source/sources.ts';
import { storageFromObjects } from '../volume/facts.ts';
import type { FindImportSource } from '../volume/read.ts';
import { version } from './version.ts';

/** What is known besides the configuration. */
export type WorldFacts = Pick<World, 'storage' | 'density' | 'connectionLimit'> & {
  readonly findImportSource: FindImportSource;
};

/** The density that holds where no cluster is looked at. */
export function offlineDensity({ density }: Settings, override?: number): Density {
  const { statistic, fixed, minimum } = density;
  if (override !== undefined) return planningDensity({ statistic: 'fixed', pods: override });
  return statistic === 'fixed'
    ? planningDensity({ statistic, pods: fixed ?? minimum })
    : planningDensity({ statistic, minimum, marks: new Map() });
}

/** Finds VolumeImportSources among objects. */
export function importSourcesAmong(objects: readonly JsonObject[]): FindImportSource {
  const found = new Map<string, JsonObject>();
  for (const object of objects) {
    const { kind, namespace, name } = identify(object);
    if (kind === 'VolumeImportSource') found.set(`${namespace}/${name}`, object);
  }
  return (namespace, name) => found.get(`${namespace}/${name}`);
}

/** What manifests tell of the cluster that they are for. */
export function manifestWorld(objects: readonly JsonObject[], density: Density): WorldFacts {
  const limits = objects.filter(({ kind }) => kind === 'ConfigMap').map(connectionLimitIn);
  return {
    storage: storageFromObjects(objects, 'manifests'),
    density,
    connectionLimit: limits.find((limit) => limit !== null) ?? null,
    findImportSource: importSourcesAmong(objects),
  };
}

/** Nobody waits for one object of a report: every image gets its turn, and its whole time. */
function patient(options: LookOptions): LookOptions {
  return { ...options, isPatient: true, limits: { ...options.limits, queue: Number.POSITIVE_INFINITY } };
}

/** The world of one run of a command; `looked` is told of every image that was looked at. */
export function worldOf(settings: Settings, facts: WorldFacts, looked: () => void): World {
  const outside = {
    open: openSource,
    resolve: resolveAll,
    now: Date.now,
    version: version(),
    observe: looked,
  };
  return {
    ...facts,
    settings,
    storage: { ...facts.storage, formula: settings.overheadFormula },
    look: createLook(patient(lookOptionsOf(settings, outside))),
    now: Date.now(),
  };
}
