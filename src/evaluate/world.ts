import type { Settings } from '../config/settings.ts';
import type { Density } from '../density/density.ts';
import type { JsonObject } from '../object/object.ts';
import type { FindImportSource } from '../volume/read.ts';
import type { StorageFacts } from '../volume/volume.ts';
import type { LookAt } from './look.ts';

/** An object on its way into the cluster, or read from a file as if it were. */
export interface Review {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly object: JsonObject;
  /** As stored; null on CREATE. */
  readonly oldObject: JsonObject | null;
  /** The request's: the object itself need not name it. */
  readonly namespace: string;
}

/** Everything besides the object that a verdict depends on, as it stands at one moment. */
export interface World {
  readonly settings: Settings;
  readonly storage: StorageFacts;
  readonly density: Density;
  /** connectionLimit of the Multus daemon's configuration; null where none is set or known. */
  readonly connectionLimit: number | null;
  /** VolumeImportSources by namespace and name; absent: PersistentVolumeClaims are not judged. */
  readonly findImportSource?: FindImportSource;
  readonly look: LookAt;
  /** Milliseconds since the epoch. */
  readonly now: number;
}
