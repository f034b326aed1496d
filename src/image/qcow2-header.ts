import type { ByteView } from '../bytes/view.ts';

/** incompatible_features, offset 72 of a version 3 header. */
export const FEATURE = {
  externalDataFile: 1n << 2n,
  compressionType: 1n << 3n,
  extendedL2: 1n << 4n,
} as const;

const V2_HEADER_LENGTH = 72;
export const V3_MIN_HEADER_LENGTH = 104;

/** The fields of a header (qcow2 spec, "Header") that size, refusal and map depend on. */
export interface Qcow2Header {
  readonly version: number;
  readonly clusterBits: number;
  /** Bytes, as written: not always whole sectors. */
  readonly size: bigint;
  readonly backingOffset: bigint;
  readonly backingLength: number;
  readonly cryptMethod: number;
  readonly l1Entries: number;
  readonly l1Offset: bigint;
  readonly refcountTableOffset: bigint;
  readonly refcountTableClusters: number;
  readonly snapshots: number;
  readonly snapshotsOffset: bigint;
  readonly features: bigint;
  readonly refcountOrder: number;
  readonly headerLength: number;
  readonly compressionType: number;
}

/** Reads the header, checking nothing; throws OutOfBoundsError where the view ends in it. */
export function readQcow2Header(view: ByteView): Qcow2Header {
  const version = view.u32be(4);
  const headerLength = version >= 3 ? view.u32be(100) : V2_HEADER_LENGTH;
  return {
    version,
    backingOffset: view.u64be(8),
    backingLength: view.u32be(16),
    clusterBits: view.u32be(20),
    size: view.u64be(24),
    cryptMethod: view.u32be(32),
    l1Entries: view.u32be(36),
    l1Offset: view.u64be(40),
    refcountTableOffset: view.u64be(48),
    refcountTableClusters: view.u32be(56),
    snapshots: view.u32be(60),
    snapshotsOffset: view.u64be(64),
    features: version >= 3 ? view.u64be(72) : 0n,
    refcountOrder: version >= 3 ? view.u32be(96) : 4,
    headerLength,
    compressionType: headerLength > V3_MIN_HEADER_LENGTH ? view.u8(104) : 0,
  };
}

/** Entries of one L2 table; an extended entry is 16 bytes, others are 8. */
export function l2EntriesOf(header: Qcow2Header): bigint {
  return 1n << BigInt(header.clusterBits - (hasExtendedL2(header) ? 4 : 3));
}

export function hasExtendedL2(header: Qcow2Header): boolean {
  return (header.features & FEATURE.extendedL2) !== 0n;
}

/** L1 entries that a disk of this size needs: one for each L2 table's worth of clusters. */
export function l1EntriesNeeded(header: Qcow2Header): bigint {
  const covered = l2EntriesOf(header) << BigInt(header.clusterBits);
  return (header.size + covered - 1n) / covered;
}

/** V in bytes. qemu counts whole sectors and drops a rest; it never writes a size with a rest itself. */
export function virtualSizeOf(header: Qcow2Header): bigint {
  return (header.size / 512n) * 512n;
}
