import type { Quantity } from '../quantity/quantity.ts';

export type VolumeMode = 'Filesystem' | 'Block';
/** Which half of the spec asks for the size: `spec.storage` (CDI adds overhead) or `spec.pvc` (taken as it is). */
export type VolumeApi = 'storage' | 'pvc';
/** CDI's two ways to add the filesystem overhead (pkg/util/util.go): before v1.63 divides by 1 - oh, since then multiplies by 1 + oh. */
export type OverheadFormula = 'divide' | 'multiply';
/** How CDI will clone volumes of a class. `copy` is host-assisted: through pods. */
export type CloneStrategy = 'copy' | 'snapshot' | 'csi-clone';

export interface ClaimPropertySet {
  readonly accessModes: readonly string[];
  readonly volumeMode: VolumeMode;
}

export interface StorageProfileFacts {
  /** Name of its StorageClass. */
  readonly name: string;
  readonly claimPropertySets: readonly ClaimPropertySet[];
  readonly cloneStrategy: CloneStrategy | null;
  /** Bytes; from the annotation cdi.kubevirt.io/minimumSupportedPvcSize. */
  readonly minimumSupportedPvcSize: bigint | null;
}

export interface StorageClassFacts {
  readonly name: string;
  readonly isDefault: boolean;
  readonly isVirtDefault: boolean;
}

/** What is known of the cluster's storage; `origin` says where from, and is told to the user. */
export interface StorageFacts {
  readonly origin: 'defaults' | 'manifests' | 'cluster';
  /** Overheads as CDIConfig publishes them ("0.06"). Global null: not published, so CDI's default of each formula holds. */
  readonly overhead: {
    readonly global: string | null;
    readonly byClass: Readonly<Record<string, string>>;
  };
  /** Null: not known, so a denial has to hold under both. */
  readonly formula: OverheadFormula | null;
  /** Null: the classes are not known (no cluster was looked at). */
  readonly classes: readonly StorageClassFacts[] | null;
  /** Null: the profiles are not known. */
  readonly profiles: readonly StorageProfileFacts[] | null;
  /** spec.cloneStrategyOverride of the CDI CR. */
  readonly cloneStrategyOverride: CloneStrategy | null;
}

/** Where the image comes from: the fields of an import source that CDI has. Only imports can be looked at. */
export interface ImportSource {
  readonly kind: 'http' | 's3' | 'gcs' | 'registry';
  readonly url: string;
  /** Why it can't be looked at although it is an import (imageStream, oci-archive, pullMethod node with no url…). */
  readonly unsupported: string | null;
  readonly secretRef: string | null;
  readonly certConfigMap: string | null;
  readonly extraHeaders: readonly string[];
  readonly secretExtraHeaders: readonly string[];
  readonly architecture: string | null;
  readonly insecureSkipVerify: boolean;
}

/** One way that CDI may read the request, of those that what is known leaves open. Sizes are bytes. */
export interface SizeReading {
  readonly mode: VolumeMode;
  readonly formula: OverheadFormula;
  /** The filesystem overhead that it was made with, 0 for Block; a double, as CDI computes (overhead.ts). */
  readonly overhead: number;
  /** E: the PVC that CDI makes. */
  readonly effective: bigint;
  /** What a filesystem on E leaves for the disk; E itself for Block. */
  readonly usable: bigint;
}

/** A volume that is filled from an image. */
export interface Volume {
  readonly api: VolumeApi;
  /** R. */
  readonly requested: Quantity;
  /** Path of R in the object, as `spec.storage.resources.requests.storage`. */
  readonly field: string;
  readonly source: ImportSource;
  /** Every reading that what is known leaves open; at least one. A denial has to hold in all of them. */
  readonly readings: readonly SizeReading[];
  /** StorageClass by name; null where neither the spec nor the defaults name one. */
  readonly storageClass: string | null;
  /** Null: not known. */
  readonly cloneStrategy: CloneStrategy | null;
  /** Why its clones are host-assisted, in a few words; null where they are not, or it isn't known. */
  readonly hostAssistedBecause: string | null;
  readonly preallocation: boolean;
  /** Why it is, or is not, a base volume (design: only base volumes can be oversized). */
  readonly base: { readonly isBase: boolean; readonly because: string };
}

/** Why a volume is not judged at all. */
export type SkipCode =
  | 'clone'
  | 'blank'
  | 'upload'
  | 'imageio'
  | 'vddk'
  | 'external-population'
  | 'checkpoints'
  | 'archive'
  | 'pre-populated'
  | 'populated-for'
  | 'owned-by-datavolume'
  | 'claim-adoption'
  | 'static-volume'
  | 'being-deleted'
  | 'update'
  | 'no-source'
  | 'no-size'
  | 'bad-size'
  | 'unchanged';

export type VolumeOutcome =
  | { readonly kind: 'volume'; readonly volume: Volume }
  | { readonly kind: 'skip'; readonly code: SkipCode; readonly reason: string; readonly field: string };

export type Operation = 'CREATE' | 'UPDATE';

/** What the reading of an object depends on besides the object itself. */
export interface ReadOptions {
  readonly operation: Operation;
  readonly storage: StorageFacts;
}
