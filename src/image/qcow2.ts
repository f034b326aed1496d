import type { ByteView } from '../bytes/view.ts';
import { type DiskFacts, disk, type Format, unusable } from './format.ts';
import type { Defect, ProbeOptions, Reading } from './image.ts';
import {
  FEATURE,
  hasExtendedL2,
  l1EntriesNeeded,
  type Qcow2Header,
  readQcow2Header,
  V3_MIN_HEADER_LENGTH,
  virtualSizeOf,
} from './qcow2-header.ts';
import { allocatedBytes } from './qcow2-map.ts';

const MAGIC = [0x51, 0x46, 0x49, 0xfb];

/** What qemu's driver accepts (block/qcow2.h); the sizes are bytes. */
const LIMITS = {
  minClusterBits: 9,
  maxClusterBits: 21,
  /** Extended L2 divides a cluster in 32, none smaller than a sector. */
  minClusterBitsExtended: 14,
  maxRefcountOrder: 6,
  maxL1Bytes: 32n << 20n,
  maxRefcountTableBytes: 8n << 20n,
  maxL1Entries: 0x7fff_ffffn,
  maxSnapshots: 65_536,
  snapshotLength: 40n,
  maxBackingName: 1023,
  maxOffset: (1n << 63n) - 1n,
} as const;

/** incompatible_features bits 0 to 4: dirty, corrupt, external data file, compression type, extended L2. */
const KNOWN_FEATURES = 0x1fn;

/** A table must start on a cluster, and end where a signed offset can still say. */
function isMisplaced(offset: bigint, bytes: bigint, header: Qcow2Header): boolean {
  return offset % (1n << BigInt(header.clusterBits)) !== 0n || offset + bytes > LIMITS.maxOffset;
}

function brokenCluster(header: Qcow2Header): string | null {
  const bits = header.clusterBits;
  if (bits < LIMITS.minClusterBits || bits > LIMITS.maxClusterBits) return `cluster bits ${bits}`;
  if (hasExtendedL2(header) && bits < LIMITS.minClusterBitsExtended)
    return `cluster bits ${bits} with extended L2`;
  if (header.version >= 3) {
    if (header.headerLength < V3_MIN_HEADER_LENGTH) return `header length ${header.headerLength}`;
    if (header.headerLength > 1 << bits) return `header length ${header.headerLength}`;
    if (header.refcountOrder > LIMITS.maxRefcountOrder) return `refcount order ${header.refcountOrder}`;
  }
  if (header.backingOffset > 1n << BigInt(bits)) return 'backing file offset beyond the first cluster';
  return null;
}

function brokenCompression(header: Qcow2Header): string | null {
  const flagged = (header.features & FEATURE.compressionType) !== 0n;
  if (header.compressionType > 1) return `compression type ${header.compressionType}`;
  return flagged === (header.compressionType !== 0) ? null : 'compression type and its feature bit differ';
}

function brokenTables(header: Qcow2Header): string | null {
  const refcountBytes = BigInt(header.refcountTableClusters) << BigInt(header.clusterBits);
  if (refcountBytes === 0n) return 'no refcount table';
  if (refcountBytes > LIMITS.maxRefcountTableBytes) return 'refcount table too large';
  if (isMisplaced(header.refcountTableOffset, refcountBytes, header)) return 'refcount table offset';
  const l1Bytes = BigInt(header.l1Entries) * 8n;
  if (l1Bytes > LIMITS.maxL1Bytes) return 'L1 table too large';
  if (isMisplaced(header.l1Offset, l1Bytes, header)) return 'L1 table offset';
  if (header.snapshots > LIMITS.maxSnapshots) return 'snapshot table too large';
  if (isMisplaced(header.snapshotsOffset, BigInt(header.snapshots) * LIMITS.snapshotLength, header))
    return 'snapshot table offset';
  if (l1EntriesNeeded(header) > LIMITS.maxL1Entries) return 'size too big';
  if (BigInt(header.l1Entries) < l1EntriesNeeded(header)) return 'L1 table too small';
  return null;
}

/** Header extensions run from the header to the backing file's name, or to the end of the cluster. */
function brokenExtensions(view: ByteView, header: Qcow2Header): string | null {
  const end = header.backingOffset === 0n ? 1 << header.clusterBits : Number(header.backingOffset);
  let at = header.headerLength;
  while (at < end && at + 8 <= view.length) {
    const length = view.u32be(at + 4);
    if (at + 8 > end || length > end - at - 8) return 'header extension too large';
    if (view.u32be(at) === 0) return null;
    at += 8 + Math.ceil(length / 8) * 8;
  }
  return null;
}

function brokenBacking(header: Qcow2Header): string | null {
  if (header.backingOffset === 0n) return null;
  const room = (1n << BigInt(header.clusterBits)) - header.backingOffset;
  const tooLong = header.backingLength > LIMITS.maxBackingName || BigInt(header.backingLength) > room;
  return tooLong ? 'backing file name too long' : null;
}

/** What qemu-img opens but CDI has no use for. */
function foreignParts(header: Qcow2Header): readonly Defect[] {
  const defects: Defect[] = [];
  if (header.backingOffset !== 0n && header.backingLength > 0)
    defects.push({ code: 'backing-file', detail: `its name is ${header.backingLength} bytes long` });
  if ((header.features & FEATURE.externalDataFile) !== 0n)
    defects.push({ code: 'external-data-file', detail: 'incompatible feature bit 2' });
  if (header.cryptMethod !== 0)
    defects.push({ code: 'encrypted', detail: header.cryptMethod === 1 ? 'AES' : 'LUKS' });
  return defects;
}

/** qcow2, versions 2 and 3. V needs nothing but the prefix; A takes the L1 and L2 tables. */
export const QCOW2: Format = {
  name: 'qcow2',
  // Version 1 is qcow, another row.
  recognise: (prefix) => prefix.startsWith(MAGIC) && !prefix.startsWith([0, 0, 0, 1], MAGIC.length),

  *read(prefix: ByteView, options: ProbeOptions): Reading<DiskFacts> {
    const header = readQcow2Header(prefix);
    if (header.version < 2) return unusable('qcow2', 'corrupt-header', `version ${header.version}`);
    if (header.version > 3) return unusable('qcow2', 'unsupported-feature', `version ${header.version}`);
    const brokenFirst = brokenCluster(header);
    if (brokenFirst !== null) return unusable('qcow2', 'corrupt-header', brokenFirst);
    const unknown = header.features & ~KNOWN_FEATURES;
    if (unknown !== 0n)
      return unusable('qcow2', 'unsupported-feature', `incompatible features 0x${unknown.toString(16)}`);
    if (header.cryptMethod > 2)
      return unusable('qcow2', 'unsupported-feature', `encryption method ${header.cryptMethod}`);
    const broken =
      brokenCompression(header) ??
      brokenTables(header) ??
      brokenExtensions(prefix, header) ??
      brokenBacking(header);
    if (broken !== null) return unusable('qcow2', 'corrupt-header', broken);

    const defects = foreignParts(header);
    const allocatedSize = options.map && defects.length === 0 ? yield* allocatedBytes(header) : null;
    return disk('qcow2', virtualSizeOf(header), { allocatedSize, defects });
  },
};
