import type { JsonObject } from '../../../src/object/object.ts';
import { bytesOf, parseQuantity } from '../../../src/quantity/parse.ts';
import type { ClaimRequest } from '../../../src/volume/claim.ts';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';
import type {
  StorageClassFacts,
  StorageFacts,
  StorageProfileFacts,
  Volume,
  VolumeOutcome,
} from '../../../src/volume/volume.ts';

/** A cluster that runs CDI with the new formula, and has the classes and profiles given. */
export function cluster(known: Partial<StorageFacts> = {}): StorageFacts {
  return { ...DEFAULT_STORAGE, origin: 'cluster', formula: 'multiply', classes: [], profiles: [], ...known };
}

export function storageClass(name: string, known: Partial<StorageClassFacts> = {}): StorageClassFacts {
  return { name, isDefault: false, isVirtDefault: false, ...known };
}

export function profile(name: string, known: Partial<StorageProfileFacts> = {}): StorageProfileFacts {
  return { name, claimPropertySets: [], cloneStrategy: null, minimumSupportedPvcSize: null, ...known };
}

export function claim(size: string, given: Partial<ClaimRequest> = {}): ClaimRequest {
  const parsed = parseQuantity(size);
  if (!parsed.ok) throw new Error(parsed.reason);
  return {
    api: 'storage',
    requested: parsed.quantity,
    field: 'spec.storage.resources.requests.storage',
    className: null,
    mode: null,
    accessModes: [],
    ...given,
  };
}

export const HTTP = { http: { url: 'https://images.example/disk.qcow2' } };

export function dataVolume(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { namespace: 'demo', name: 'base', ...metadata },
    spec,
  };
}

/** A spec with an http source that asks for `size`. */
export function imports(
  size: unknown,
  more: JsonObject = {},
  api: 'storage' | 'pvc' = 'storage',
): JsonObject {
  return { source: HTTP, [api]: { resources: { requests: { storage: size } }, ...more } };
}

export function machine(...templates: readonly unknown[]): JsonObject {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace: 'demo', name: 'vm' },
    spec: { dataVolumeTemplates: templates },
  };
}

export function cron(template: unknown): JsonObject {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataImportCron',
    metadata: { namespace: 'demo', name: 'fedora' },
    spec: { template, schedule: '0 0 * * *', managedDataSource: 'fedora' },
  };
}

export function volumeOf(outcome: VolumeOutcome | undefined): Volume {
  if (outcome?.kind !== 'volume') throw new Error(`no volume: ${JSON.stringify(outcome)}`);
  return outcome.volume;
}

/** `clone at spec.source.pvc`, or `volume at …`: enough to tell outcomes apart. */
export function brief(outcome: VolumeOutcome): string {
  return outcome.kind === 'volume'
    ? `volume at ${outcome.volume.field}`
    : `${outcome.code} at ${outcome.field}`;
}

/** The readings as `Filesystem 1138166334`, in order. */
export function effectiveSizes(volume: Volume): string[] {
  return volume.readings.map(({ mode, effective }) => `${mode} ${effective}`);
}

/** Whether no reading leaves room for a disk of V bytes on what CDI makes of the request (design: too-small, Filesystem). */
export function certainlyTooSmall(volume: Volume, virtualSize: bigint): boolean {
  return volume.readings.every(
    ({ mode, effective }) =>
      mode === 'Filesystem' && virtualSize > (volume.api === 'pvc' ? bytesOf(volume.requested) : effective),
  );
}
