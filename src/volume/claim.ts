import { at, listAt } from '../object/object.ts';
import { bytesOf, parseQuantity } from '../quantity/parse.ts';
import type { Quantity } from '../quantity/quantity.ts';
import { MiB } from '../quantity/units.ts';
import { skip } from './skip.ts';
import type { VolumeApi, VolumeMode, VolumeOutcome } from './volume.ts';

/** What of a PVC's spec, or of the half of a DataVolume's spec that becomes one, decides its size. */
export interface ClaimRequest {
  readonly api: VolumeApi;
  readonly requested: Quantity;
  /** Path of the request in the object. */
  readonly field: string;
  /** Null: not named, so a default is taken. Empty: no class, on purpose. */
  readonly className: string | null;
  /** Null: not given. */
  readonly mode: VolumeMode | 'from-profile' | null;
  readonly accessModes: readonly string[];
}

export type ClaimReading =
  | { readonly kind: 'claim'; readonly claim: ClaimRequest }
  | Extract<VolumeOutcome, { kind: 'skip' }>;

/** Reads the size that a DataVolume's spec asks for; `path` is where the spec lies in its object. */
export function readDataVolumeClaim(spec: unknown, path: string): ClaimReading {
  const storage = at(spec, 'storage');
  const pvc = at(spec, 'pvc');
  if (storage != null && pvc != null)
    return skip('bad-size', path, 'it has both spec.storage and spec.pvc, which CDI refuses');
  const reading =
    storage != null ? readClaim(storage, 'storage', `${path}.storage`) : readClaim(pvc, 'pvc', `${path}.pvc`);
  if (reading.kind === 'claim' && bytesOf(reading.claim.requested) < MiB)
    return skip('bad-size', reading.claim.field, 'it asks for less than 1Mi, which CDI refuses');
  return reading;
}

/** Reads the size that a PVC's spec asks for; `path` is where the spec lies in its object. */
export function readClaim(claim: unknown, api: VolumeApi, path: string): ClaimReading {
  const field = `${path}.resources.requests.storage`;
  const size = at(claim, 'resources', 'requests', 'storage');
  if (size == null) return skip('no-size', field);
  const parsed = parseQuantity(size);
  if (!parsed.ok) return skip('bad-size', field, `its size is not a quantity: ${parsed.reason}`);
  if (parsed.quantity.nanos <= 0n) return skip('bad-size', field, 'its size is not greater than zero');
  const className = at(claim, 'storageClassName');
  return {
    kind: 'claim',
    claim: {
      api,
      requested: parsed.quantity,
      field,
      className: typeof className === 'string' ? className : null,
      mode: modeOf(at(claim, 'volumeMode')),
      accessModes: listAt(claim, 'accessModes').filter((mode) => typeof mode === 'string'),
    },
  };
}

function modeOf(value: unknown): ClaimRequest['mode'] {
  if (value === 'Filesystem' || value === 'Block') return value;
  return value === 'FromStorageProfile' ? 'from-profile' : null;
}
