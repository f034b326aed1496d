import { ByteView } from '../bytes/view.ts';
import type { Reading } from './image.ts';
import {
  hasExtendedL2,
  l1EntriesNeeded,
  l2EntriesOf,
  type Qcow2Header,
  virtualSizeOf,
} from './qcow2-header.ts';

/** What a walk may cost; beyond it A stays unknown. Reads of tables that touch count as one. */
export const MAP_LIMITS = {
  maxReads: 2048,
  /** Bytes of tables in all. */
  maxTableBytes: 64 * 1024 * 1024,
  /** Bytes of one read. */
  maxReadLength: 1024 * 1024,
} as const;

const OFFSET_MASK = 0x00ff_ffff_ffff_fe00n;
const COMPRESSED = 1n << 62n;
const READS_AS_ZERO = 1n;

/** One L2 table: where it lies, and the first byte of the disk that it maps. */
interface L2Table {
  readonly offset: bigint;
  readonly guestOffset: bigint;
}

/**
 * A: bytes of the clusters that the active L1 and L2 tables map to data, as `qemu-img map` counts
 * `data: true`; never more than the disk. Null where the walk would cost too much or the tables
 * contradict themselves.
 */
export function* allocatedBytes(header: Qcow2Header): Reading<bigint | null> {
  const entries = l1EntriesNeeded(header);
  const l1Bytes = Number(entries) * 8;
  if (l1Bytes > MAP_LIMITS.maxTableBytes) return null;
  const tables = yield* readL1(header, l1Bytes);
  if (tables === null) return null;

  const clusterSize = 1 << header.clusterBits;
  if (l1Bytes + tables.length * clusterSize > MAP_LIMITS.maxTableBytes) return null;
  const batches = adjacent(tables, clusterSize);
  if (batches.length > MAP_LIMITS.maxReads) return null;

  let allocated = 0n;
  for (const batch of batches) {
    const first = batch[0]!;
    const bytes = yield { offset: first.offset, length: batch.length * clusterSize };
    for (const [i, table] of batch.entries()) {
      const view = new ByteView(bytes.subarray(i * clusterSize, (i + 1) * clusterSize));
      const counted = countTable(view, table, header);
      if (counted === null) return null;
      allocated += counted;
    }
  }
  return allocated;
}

/** The L2 tables in file order; null where two entries share one, as only a forged map does. */
function* readL1(header: Qcow2Header, l1Bytes: number): Reading<L2Table[] | null> {
  const clusterSize = 1n << BigInt(header.clusterBits);
  const perTable = l2EntriesOf(header) * clusterSize;
  const tables = new Map<bigint, L2Table>();
  for (let at = 0; at < l1Bytes; at += MAP_LIMITS.maxReadLength) {
    const length = Math.min(MAP_LIMITS.maxReadLength, l1Bytes - at);
    const view = new ByteView(yield { offset: header.l1Offset + BigInt(at), length });
    for (let i = 0; i + 8 <= view.length; i += 8) {
      const offset = view.u64be(i) & OFFSET_MASK;
      if (offset === 0n) continue;
      if (offset % clusterSize !== 0n || tables.has(offset)) return null;
      tables.set(offset, { offset, guestOffset: BigInt((at + i) / 8) * perTable });
    }
  }
  return [...tables.values()].sort((a, b) => (a.offset < b.offset ? -1 : 1));
}

/** Runs of tables that lie end to end, each no longer than one read may be. */
function adjacent(tables: readonly L2Table[], clusterSize: number): L2Table[][] {
  const batches: L2Table[][] = [];
  for (const table of tables) {
    const batch = batches.at(-1);
    const touches = batch !== undefined && batch.at(-1)!.offset + BigInt(clusterSize) === table.offset;
    if (touches && (batch.length + 1) * clusterSize <= MAP_LIMITS.maxReadLength) batch.push(table);
    else batches.push([table]);
  }
  return batches;
}

/** Bytes that one L2 table maps to data; what lies past the end of the file is zeros, hence nothing. */
function countTable(view: ByteView, table: L2Table, header: Qcow2Header): bigint | null {
  const clusterSize = 1n << BigInt(header.clusterBits);
  const extended = hasExtendedL2(header);
  const entryLength = extended ? 16 : 8;
  const disk = virtualSizeOf(header);
  let allocated = 0n;
  for (let i = 0; i + entryLength <= view.length; i += entryLength) {
    const guest = table.guestOffset + BigInt(i / entryLength) * clusterSize;
    if (guest >= disk) break;
    const entry = view.u64be(i);
    const within = disk - guest < clusterSize ? disk - guest : clusterSize;
    if ((entry & COMPRESSED) !== 0n) allocated += within;
    else if (extended) {
      if ((entry & OFFSET_MASK) !== 0n)
        allocated += subclusterBytes(view.u32be(i + 12), clusterSize / 32n, within);
    } else if ((entry & READS_AS_ZERO) !== 0n) {
      if (header.version < 3) return null;
    } else if ((entry & OFFSET_MASK) !== 0n) allocated += within;
  }
  return allocated;
}

/** Bytes of the subclusters whose bit is set in an extended entry's allocation bitmap, up to the disk's end. */
function subclusterBytes(bitmap: number, size: bigint, within: bigint): bigint {
  let bytes = 0n;
  for (let i = 0; i < 32; i++) {
    const start = BigInt(i) * size;
    if (start >= within) break;
    if ((bitmap >>> i) & 1) bytes += within - start < size ? within - start : size;
  }
  return bytes;
}
