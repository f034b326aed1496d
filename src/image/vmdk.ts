import { ByteView } from '../bytes/view.ts';
import { type DiskFacts, disk, type Format, unusable } from './format.ts';
import type { Defect, ProbeOptions, Reading } from './image.ts';

const MAGIC = new TextEncoder().encode('KDMV');
const SECTOR = 512n;
/** The content id of a parent that there is not. */
const NO_PARENT = 0xffff_ffff;
/** Where qemu looks for the descriptor, and how much of it it reads. Bytes. */
const DESCRIPTOR_OFFSET = 512;
const DESCRIPTOR_LENGTH = 20 * 512;
/** gdOffset of a streamOptimized file whose header is repeated, completed, at the end. */
const DIRECTORY_AT_END = 0xffff_ffff_ffff_ffffn;
/** Footer marker, footer, end-of-stream marker: a sector each. */
const FOOTER_LENGTH = 3 * 512;
const FOOTER_MARKER = 3;
const MAX_VERSION = 3;
const MAX_TABLE_ENTRIES = 512;
/** qemu's bound on the sectors of a grain, and on the grain tables of an extent. */
const MAX_GRAIN = 0x20_0000n;
const MAX_DIRECTORY_ENTRIES = 32n << 20n;
const MAX_OFFSET = (1n << 63n) - 1n;

/** The fields of a sparse extent's header (Virtual Disk Format 5.0) that V depends on; sizes in sectors. */
interface SparseHeader {
  readonly version: number;
  readonly capacity: bigint;
  readonly grain: bigint;
  readonly descriptorOffset: bigint;
  readonly tableEntries: number;
  readonly directoryOffset: bigint;
  readonly overhead: bigint;
}

function readHeader(view: ByteView): SparseHeader {
  return {
    version: view.u32le(4),
    capacity: view.u64le(12),
    grain: view.u64le(20),
    descriptorOffset: view.u64le(28),
    tableEntries: view.u32le(44),
    directoryOffset: view.u64le(56),
    overhead: view.u64le(64),
  };
}

/** The header at the end of a streamOptimized file; null where it is not there. */
function* readFooter(fileLength: bigint): Reading<SparseHeader | null> {
  // qemu counts the file in whole sectors.
  const end = ((fileLength + SECTOR - 1n) / SECTOR) * SECTOR;
  if (end < FOOTER_LENGTH) return null;
  const view = new ByteView(yield { offset: end - BigInt(FOOTER_LENGTH), length: FOOTER_LENGTH });
  if (view.length < 1024 || !view.startsWith(MAGIC, 512)) return null;
  if (view.u32le(8) !== 0 || view.u32le(12) !== FOOTER_MARKER) return null;
  return readHeader(new ByteView(view.slice(512, 512)));
}

function brokenHeader(header: SparseHeader, fileLength: bigint | null): string | null {
  if (header.tableEntries > MAX_TABLE_ENTRIES) return `${header.tableEntries} entries in a grain table`;
  const covered = BigInt(header.tableEntries) * header.grain;
  if (covered === 0n) return 'empty grain tables';
  if (header.grain > MAX_GRAIN) return 'grain size';
  // qemu keeps their number in 32 bits.
  if (BigInt.asUintN(32, (header.capacity + covered - 1n) / covered) > MAX_DIRECTORY_ENTRIES)
    return 'too many grain tables';
  // A signed offset, whose overflow goes unnoticed.
  if (header.directoryOffset !== DIRECTORY_AT_END && BigInt.asIntN(64, header.directoryOffset * SECTOR) < 0n)
    return 'grain directory offset';
  if (header.capacity * SECTOR > MAX_OFFSET) return 'capacity';
  if (fileLength !== null && fileLength < header.overhead * SECTOR) return 'file shorter than its tables';
  return null;
}

/** The hexadecimal number that follows a key's first occurrence and one character more, as qemu reads it. */
function contentId(descriptor: string, key: string): number | null {
  const at = descriptor.indexOf(key);
  if (at < 0) return null;
  const digits = /^\s*(?:0x)?([0-9a-f]+)/i.exec(descriptor.slice(at + key.length + 1));
  return digits === null ? null : Number.parseInt(digits[1]!, 16);
}

/** What the descriptor inside of a sparse extent says that CDI stumbles over. */
function descriptorDefects(prefix: ByteView): readonly Defect[] {
  const length = Math.min(DESCRIPTOR_LENGTH, prefix.length - DESCRIPTOR_OFFSET);
  const descriptor = length > 0 ? prefix.ascii(DESCRIPTOR_OFFSET, length).split('\0', 1)[0]! : '';
  const parent = contentId(descriptor, 'parentCID');
  if (contentId(descriptor, 'CID') === null || parent === null)
    return [{ code: 'descriptor-only', detail: 'an extent without its descriptor' }];
  if (descriptor.includes('parentFileNameHint'))
    return [{ code: 'differencing', detail: 'its descriptor names a parent' }];
  return parent === NO_PARENT ? [] : [{ code: 'differencing', detail: 'its descriptor has a parent’s id' }];
}

/** VMware's hosted sparse extent with its descriptor inside: monolithicSparse and streamOptimized. */
export const VMDK: Format = {
  name: 'vmdk',
  recognise: (prefix) => prefix.startsWith(MAGIC),

  *read(prefix: ByteView, options: ProbeOptions): Reading<DiskFacts> {
    let header = readHeader(prefix);
    if (header.capacity === 0n) return unusable('vmdk', 'descriptor-only', 'capacity 0');
    if (header.directoryOffset === DIRECTORY_AT_END && options.storedSize !== null) {
      const footer = yield* readFooter(options.storedSize);
      if (footer === null) return unusable('vmdk', 'truncated', 'no footer at its end');
      header = footer;
    }
    if (header.version > MAX_VERSION)
      return unusable('vmdk', 'unsupported-feature', `version ${header.version}`);
    const broken = brokenHeader(header, options.storedSize);
    if (broken !== null) return unusable('vmdk', 'corrupt-header', broken);
    return disk('vmdk', header.capacity * SECTOR, { defects: descriptorDefects(prefix) });
  },
};
