import type { Density } from '../density/density.ts';
import type { JsonObject } from '../object/object.ts';

/** `clamp(min, roundUp(base + perPod x pods, step), max)`; all bytes. */
export interface Curve {
  readonly base: bigint;
  readonly perPod: bigint;
  readonly step: bigint;
  readonly min: bigint;
  readonly max: bigint;
}

/** followWhenEqual: both move where request == limit, else only the limit. */
export type RequestRule = 'followWhenEqual' | 'follow' | 'keep';
export type FloorAction = 'mutate' | 'deny' | 'warn' | 'audit';
/** What a daemon has in flight at once after a node's restart: all of its pods, or as many as it lets in. */
export type FloorBurst = 'density' | 'connectionLimit';

/** RFC 6902, of the two kinds that are ever sent. `path` is a JSON pointer. */
export interface PatchOperation {
  readonly op: 'add' | 'replace';
  readonly path: string;
  readonly value: unknown;
}

/** A row of the catalogue as the configuration can change it. */
export interface FloorSettings {
  readonly curve: Curve;
  readonly requests: RequestRule;
  readonly addMissing: boolean;
  readonly initLimits: boolean;
  readonly action: FloorAction;
  /** Absent means `density`. */
  readonly burst?: FloorBurst;
}

/** What floors are held against besides the object. */
export interface FloorContext {
  readonly density: Density;
  /** Whole per cent above the floor within which a stored limit is kept. */
  readonly stickyPercent: number;
  /** The daemon's own bound on the calls it serves at once; null where it sets none, absent where nobody looked. */
  readonly connectionLimit?: number | null;
}

/** One memory limit held against its floor. Sizes are bytes. */
export interface FloorCheck {
  /** The target's name: multus, cdi, hyperconverged, or a row of the user's. */
  readonly target: string;
  /** Path of the limit in words: `spec.template.spec.containers[kube-multus].resources.limits.memory`. */
  readonly field: string;
  readonly floor: bigint;
  /** The limit as sent; null where absent. `text` as it was written. */
  readonly limit: { readonly bytes: bigint; readonly text: string } | null;
  /** What the limit will be: canonical where it is the floor, else as the value that it is taken from is written. */
  readonly wanted: string | null;
  readonly state: 'ok' | 'below' | 'kept' | 'unlimited';
  /** In words for a person, why this state, where it needs a word (sticky, zero means none, absent means 600M…). */
  readonly because: string | null;
  /** What brings the object to `wanted`; empty where nothing is to change. */
  readonly operations: readonly PatchOperation[];
  /** Things to know that change nothing (QoS class, missing MULTUS_NODE_NAME, connectionLimit as the other cure). */
  readonly notes: readonly string[];
}

/** What one target says of one object. */
export type FloorOutcome =
  | {
      readonly kind: 'check';
      readonly target: string;
      readonly action: FloorAction;
      readonly checks: readonly FloorCheck[];
    }
  | {
      readonly kind: 'skip';
      readonly target: string;
      readonly reason: string;
      readonly warning: string | null;
    };

/** What a target's row is asked: the object as sent, and as stored where there is one. */
export interface FloorSubject {
  readonly object: JsonObject;
  readonly oldObject: JsonObject | null;
  readonly operation: 'CREATE' | 'UPDATE';
}

/** A row of the catalogue: which objects it looks at, and what it says of one. */
export interface FloorTarget {
  readonly name: string;
  readonly kinds: readonly { readonly group: string; readonly kind: string }[];
  /** null where the object is none of this target's business. */
  readonly judge: (
    subject: FloorSubject,
    settings: FloorSettings,
    context: FloorContext,
  ) => FloorOutcome | null;
}
