import { ByteView } from '../bytes/view.ts';
import { type DiskFacts, disk, type Format, unusable, wholeSectors } from './format.ts';
import type { Defect, ProbeOptions, Reading } from './image.ts';

const COOKIE = new TextEncoder().encode('conectix');
const DYNAMIC_COOKIE = new TextEncoder().encode('cxsparse');
const FOOTER_LENGTH = 512;
const DYNAMIC_HEADER_LENGTH = 1024;
const SECTOR = 512n;
const DIFFERENCING = 4;

/** Creators whose disks are as long as the footer says; of all others the geometry counts, as qemu has it. */
const BY_CURRENT_SIZE = ['win ', 'qem2', 'd2v ', 'CTXS'];
const BY_CURRENT_SIZE_TAP = 'tap';

/** Sectors of the largest geometry: 65535 cylinders, 16 heads, 255 sectors a track. */
const MAX_GEOMETRY = 65_535n * 16n * 255n;
/** qemu opens no more sectors than 2040 GiB. */
const MAX_SECTORS = (2040n << 30n) / SECTOR;
const MAX_TABLE_ENTRIES = 0x7fff_ffff / 4;
const UNALLOCATED = 0xffff_ffff;
/** The table of a disk of 1 TiB is 2 MiB; A of a larger table stays unknown. Bytes. */
const MAX_TABLE = 4 * 1024 * 1024;

interface DynamicHeader {
  readonly tableOffset: bigint;
  readonly tableEntries: number;
  /** Bytes. */
  readonly blockSize: number;
}

/** Whether the footer's checksum at 64 holds: the complement of the sum of its other bytes. */
function checksumHolds(footer: ByteView): boolean {
  let sum = 0;
  for (let i = 0; i < FOOTER_LENGTH; i++) if (i < 64 || i >= 68) sum += footer.u8(i);
  return footer.u32be(64) === ~sum >>> 0;
}

/** V in sectors, by the copy of the footer at the file's start. */
function sectorsOf(footer: ByteView): bigint {
  const creator = footer.ascii(28, 4);
  const geometry = BigInt(footer.u16be(56)) * BigInt(footer.u8(58)) * BigInt(footer.u8(59));
  const countsCurrentSize =
    BY_CURRENT_SIZE.includes(creator) || creator.startsWith(BY_CURRENT_SIZE_TAP) || geometry === MAX_GEOMETRY;
  return countsCurrentSize ? footer.u64be(48) / SECTOR : geometry;
}

function* readDynamicHeader(footer: ByteView): Reading<DynamicHeader | null> {
  const header = new ByteView(yield { offset: footer.u64be(16), length: DYNAMIC_HEADER_LENGTH });
  if (!header.startsWith(DYNAMIC_COOKIE)) return null;
  return { tableOffset: header.u64be(16), tableEntries: header.u32be(28), blockSize: header.u32be(32) };
}

function brokenTable(header: DynamicHeader, virtualSize: bigint, fileLength: bigint | null): string | null {
  const { blockSize, tableEntries } = header;
  if (blockSize < 512 || (blockSize & (blockSize - 1)) !== 0) return `block size ${blockSize}`;
  if (BigInt(tableEntries) * BigInt(blockSize) < virtualSize) return 'block table too small';
  if (tableEntries > MAX_TABLE_ENTRIES) return 'block table too large';
  const tableEnd = wholeSectors(header.tableOffset + BigInt(tableEntries) * 4n);
  if (fileLength !== null && tableEnd > fileLength) return 'block table beyond the end of the file';
  return null;
}

function* allocatedBytes(header: DynamicHeader, virtualSize: bigint): Reading<bigint | null> {
  const block = BigInt(header.blockSize);
  const blocks = Number((virtualSize + block - 1n) / block);
  if (blocks * 4 > MAX_TABLE) return null;
  const table = new ByteView(yield { offset: header.tableOffset, length: blocks * 4 });
  let allocated = 0n;
  for (let i = 0; i * 4 + 4 <= table.length; i++) {
    if (table.u32be(i * 4) === UNALLOCATED) continue;
    const left = virtualSize - BigInt(i) * block;
    allocated += left < block ? left : block;
  }
  return allocated;
}

/**
 * Microsoft's VHD with a copy of its footer at the start: dynamic and differencing disks. A fixed one, with a
 * footer at its end only, is raw to qemu-img when nobody tells it otherwise, so to CDI.
 */
export const VPC: Format = {
  name: 'vpc',
  recognise: (prefix) => prefix.startsWith(COOKIE),

  *read(footer: ByteView, options: ProbeOptions): Reading<DiskFacts> {
    if (!checksumHolds(footer)) return unusable('vpc', 'corrupt-header', 'footer checksum');
    const sectors = sectorsOf(footer);
    if (sectors > MAX_SECTORS) return unusable('vpc', 'corrupt-header', 'size over 2040 GiB');
    const virtualSize = sectors * SECTOR;
    const header = yield* readDynamicHeader(footer);
    if (header === null) return unusable('vpc', 'corrupt-header', 'no dynamic disk header');
    const broken = brokenTable(header, virtualSize, options.storedSize);
    if (broken !== null) return unusable('vpc', 'corrupt-header', broken);

    const defects: Defect[] =
      footer.u32be(60) === DIFFERENCING ? [{ code: 'differencing', detail: 'disk type 4' }] : [];
    const isMapped = options.map && defects.length === 0;
    const allocatedSize = isMapped ? yield* allocatedBytes(header, virtualSize) : null;
    return disk('vpc', virtualSize, { allocatedSize, defects });
  },
};
