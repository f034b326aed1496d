import type { Settings } from '../config/settings.ts';
import type { Density } from '../density/density.ts';
import { planningDensity } from '../density/planning.ts';
import { createLook, type LookOptions } from '../evaluate/look.ts';
import { lookOptionsOf, type Outside } from '../evaluate/look-options.ts';
import type { World } from '../evaluate/world.ts';
import { connectionLimitIn } from '../floor/connection-limit.ts';
import { importSourcesAmong } from '../kube/import-sources.ts';
import type { JsonObject } from '../object/object.ts';
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

/** The kinds that tell something of their cluster; manifests are mostly of others. */
const TELLING = new Set([
  'CDI',
  'CDIConfig',
  'ConfigMap',
  'StorageClass',
  'StorageProfile',
  'VolumeImportSource',
]);

/** What manifests tell of the cluster that they are for. */
export function manifestWorld(objects: readonly JsonObject[], density: Density): WorldFacts {
  const telling = objects.filter(({ kind }) => TELLING.has(kind as string));
  const limits = telling.filter(({ kind }) => kind === 'ConfigMap').map(connectionLimitIn);
  return {
    storage: storageFromObjects(telling, 'manifests'),
    density,
    connectionLimit: limits.find((limit) => limit !== null) ?? null,
    findImportSource: importSourcesAmong(telling),
  };
}

/** Nobody waits for one object of a report: every image gets its turn, and its whole time. */
function patient(options: LookOptions): LookOptions {
  return { ...options, isPatient: true, limits: { ...options.limits, queue: Number.POSITIVE_INFINITY } };
}

/** What a run of a command has to do with the looks at images. */
export interface Watch {
  /** Told of every image that was looked at. */
  readonly looked: () => void;
  /** Ends the looks. */
  readonly signal: AbortSignal;
}

/** The world of one run of a command. */
export function worldOf(settings: Settings, facts: WorldFacts, { looked, signal }: Watch): World {
  const outside: Outside = {
    open: (request, context) =>
      openSource(request, { ...context, signal: AbortSignal.any([context.signal, signal]) }),
    resolve: resolveAll,
    now: Date.now,
    version: version(),
    observe: looked,
  };
  const { findImportSource, ...known } = facts;
  return {
    ...known,
    // Where it is absent, PVCs are not judged: as the webhook, which is not asked about them.
    ...(settings.configuration.volumeSize.importClaims ? { findImportSource } : {}),
    settings,
    storage: { ...facts.storage, formula: settings.overheadFormula },
    look: createLook(patient(lookOptionsOf(settings, outside))),
    now: Date.now(),
  };
}
