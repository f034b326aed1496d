import { parseConfiguration } from '../../../src/config/parse.ts';
import { settingsOf } from '../../../src/config/settings.ts';
import type { LookAt } from '../../../src/evaluate/look.ts';
import type { Review, World } from '../../../src/evaluate/world.ts';
import type { JsonObject } from '../../../src/object/object.ts';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';

const HEAD = 'apiVersion: plimsoll.dev/v1alpha1\nkind: Configuration\n';

/** Sees a qcow2 of 10 GiB that holds 1.1 GB, wherever it looks. */
export const seesFedora: LookAt = async () => ({
  kind: 'image',
  storedSize: 1_100_000_000n,
  facts: {
    format: 'qcow2',
    wrappers: [],
    virtualSize: 10n << 30n,
    virtualSizeAtLeast: null,
    allocatedSize: null,
    defects: [],
  },
});

/** A world of 90 pods a node under this configuration. */
export function worldOf(yaml = '', over: Partial<World> = {}): World {
  return {
    settings: settingsOf(parseConfiguration(HEAD + yaml)),
    storage: DEFAULT_STORAGE,
    density: { pods: 90, origin: 'fixed' },
    connectionLimit: null,
    look: seesFedora,
    now: Date.parse('2026-06-01T00:00:00Z'),
    ...over,
  };
}

export function creation(object: object, namespace = ''): Review {
  return { operation: 'CREATE', object: object as JsonObject, oldObject: null, namespace };
}

export function update(oldObject: object, object: object): Review {
  return {
    operation: 'UPDATE',
    object: object as JsonObject,
    oldObject: oldObject as JsonObject,
    namespace: '',
  };
}
