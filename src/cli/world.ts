import type { Settings } from '../config/settings.ts';
import type { Density } from '../density/density.ts';
import { createLook } from '../evaluate/look.ts';
import { lookOptionsOf } from '../evaluate/look-options.ts';
import type { World } from '../evaluate/world.ts';
import { resolveAll } from '../source/resolve.ts';
import { openSource } from '../source/sources.ts';
import type { StorageFacts } from '../volume/volume.ts';
import { version } from './version.ts';

/** The density that holds where no cluster was looked at. */
export function offlineDensity({ density }: Settings, override?: number): Density {
  if (override !== undefined) return { pods: override, origin: 'fixed' };
  return density.statistic === 'fixed' && density.fixed !== null
    ? { pods: density.fixed, origin: 'fixed' }
    : { pods: density.minimum, origin: 'minimum' };
}

/** The world of a command that evaluates without a cluster. */
export function offlineWorld(settings: Settings, storage: StorageFacts, density: Density): World {
  const outside = { open: openSource, resolve: resolveAll, now: Date.now, version: version() };
  return {
    settings,
    storage: { ...storage, formula: settings.overheadFormula },
    density,
    connectionLimit: null,
    look: createLook(lookOptionsOf(settings, outside)),
    now: Date.now(),
  };
}
