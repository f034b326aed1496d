import { ByteView } from '../bytes/view.ts';
import { crc32c } from './crc32c.ts';
import { type DiskFacts, disk, type Format, unusable } from './format.ts';
import type { Defect, ProbeOptions, Reading } from './image.ts';
import { readVhdxMetadata } from './vhdx-metadata.ts';

const SIGNATURE = new TextEncoder().encode('vhdxfile');
const HEADER_SIGNATURE = new TextEncoder().encode('head');
const REGION_SIGNATURE = new TextEncoder().encode('regi');

/** [MS-VHDX] 2.2: two headers of 4 KiB, two region tables of 64 KiB, of which qemu reads the first. Bytes. */
const HEADERS_OFFSET = 64 * 1024;
const HEADER_LENGTH = 4 * 1024;
const SECOND_HEADER = 64 * 1024;
const REGION_TABLE_OFFSET = 192 * 1024;
const REGION_TABLE_LENGTH = 64 * 1024;
const MAX_REGIONS = 2047;
const REGION_ENTRY_LENGTH = 32;
const METADATA_REGION = [6, 162, 124, 139, 144, 71, 154, 75, 184, 254, 87, 95, 5, 15, 136, 110];
const BLOCK_TABLE_REGION = [102, 119, 194, 45, 35, 246, 0, 66, 157, 100, 17, 94, 155, 253, 74, 8];
const SECTOR = 512n;
const LOG_SIGNATURE = new TextEncoder().encode('loge');
const LOG_SECTOR = 4096;
const LOG_READ_LENGTH = 64 * 1024;
const NO_LOG = new Uint8Array(16);

/** The header that is in force: the valid one with the higher sequence number; null where neither is valid. */
function currentHeader(headers: ByteView): ByteView | null {
  const valid = [0, SECOND_HEADER]
    .filter((at) => at + HEADER_LENGTH <= headers.length)
    .map((at) => new ByteView(headers.slice(at, HEADER_LENGTH)))
    .filter((header) => header.startsWith(HEADER_SIGNATURE) && header.u32le(4) === crc32c(header.bytes, 4))
    .filter((header) => header.u16le(66) === 1);
  return valid.sort((a, b) => (a.u64le(8) < b.u64le(8) ? 1 : -1))[0] ?? null;
}

interface Regions {
  readonly metadataOffset: bigint;
  /** Bytes of the block allocation table. */
  readonly blockTableLength: number;
}

/** The regions that V depends on; null where the region table is broken. */
function readRegions(table: ByteView): Regions | null {
  if (table.length < REGION_TABLE_LENGTH || !table.startsWith(REGION_SIGNATURE)) return null;
  if (table.u32le(4) !== crc32c(table.bytes, 4)) return null;
  const count = table.u32le(8);
  if (count > MAX_REGIONS) return null;
  let metadataOffset: bigint | null = null;
  let blockTableLength: number | null = null;
  for (let i = 0; i < count; i++) {
    const at = 16 + i * REGION_ENTRY_LENGTH;
    if (table.startsWith(METADATA_REGION, at) && metadataOffset === null)
      metadataOffset = table.u64le(at + 16);
    else if (table.startsWith(BLOCK_TABLE_REGION, at) && blockTableLength === null)
      blockTableLength = table.u32le(at + 24);
    // Another region, or one of these for the second time: fine if it need not be understood.
    else if ((table.u32le(at + 28) & 1) === 1) return null;
  }
  if (metadataOffset === null || blockTableLength === null) return null;
  return { metadataOffset, blockTableLength };
}

/** Bytes of the table that a disk of this size needs: an entry for each block, and one more for each chunk. */
function blockTableBytes({ virtualSize, blockSize }: { virtualSize: bigint; blockSize: number }): bigint {
  const block = BigInt(blockSize);
  const blocks = (virtualSize + block - 1n) / block;
  const chunk = ((1n << 23n) * SECTOR) / block;
  return (blocks + (blocks - 1n) / chunk) * 8n;
}

/**
 * Whether there is something to replay: the header names a log, and entries of it are there ([MS-VHDX] 2.3).
 * Only its first 64 KiB are looked at.
 */
function* hasLog(header: ByteView): Reading<boolean> {
  const id = header.slice(48, 16);
  if (header.startsWith(NO_LOG, 48)) return false;
  const length = Math.min(header.u32le(68), LOG_READ_LENGTH);
  const log = new ByteView(yield { offset: header.u64le(72), length });
  for (let at = 0; at < log.length; at += LOG_SECTOR)
    if (log.startsWith(LOG_SIGNATURE, at) && log.startsWith(id, at + 32)) return true;
  return false;
}

/** Hyper-V's VHDX ([MS-VHDX]): V is in a metadata region that may lie anywhere. */
export const VHDX: Format = {
  name: 'vhdx',
  recognise: (prefix) => prefix.startsWith(SIGNATURE),

  *read(_prefix: ByteView, _options: ProbeOptions): Reading<DiskFacts> {
    const length = REGION_TABLE_OFFSET + REGION_TABLE_LENGTH - HEADERS_OFFSET;
    const structures = new ByteView(yield { offset: BigInt(HEADERS_OFFSET), length });
    const header = currentHeader(structures);
    if (header === null) return unusable('vhdx', 'corrupt-header', 'no valid header');
    const tableAt = REGION_TABLE_OFFSET - HEADERS_OFFSET;
    if (structures.length < tableAt) return unusable('vhdx', 'truncated', 'no region table');
    const regions = readRegions(new ByteView(structures.bytes.subarray(tableAt)));
    if (regions === null) return unusable('vhdx', 'corrupt-header', 'region table');
    const metadata = yield* readVhdxMetadata(regions.metadataOffset);
    if (metadata.kind === 'broken') return unusable('vhdx', metadata.code, metadata.detail);

    if (blockTableBytes(metadata) > regions.blockTableLength)
      return unusable('vhdx', 'corrupt-header', 'block table too small');

    // qemu-img opens the file to read only, and cannot then replay what a log still holds.
    const defects: Defect[] = (yield* hasLog(header))
      ? [{ code: 'unsupported-feature', detail: 'a log that was not replayed' }]
      : [];
    return disk('vhdx', metadata.virtualSize, { defects });
  },
};
