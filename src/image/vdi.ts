import { ByteView } from '../bytes/view.ts';
import { type DiskFacts, disk, type Format, unusable, wholeSectors } from './format.ts';
import type { Defect, ProbeOptions, Reading } from './image.ts';

const SIGNATURE = [0x7f, 0x10, 0xda, 0xbe];
const SIGNATURE_OFFSET = 0x40;
const VERSION_1_1 = 0x0001_0001;
const DIFFERENCING = 4;
const SECTOR = 512;
/** The only block size that qemu opens, in bytes. */
const BLOCK = 1024 * 1024;
const MAX_BLOCKS = 0x3fff_ffff;
/** A block map entry from here on is a block without data: discarded, or never written. */
const NO_DATA = 0xffff_fffe;
/** The block map of a disk of 1 TiB is 4 MiB; A of a larger one stays unknown. Bytes. */
const MAX_BLOCK_MAP = 4 * 1024 * 1024;

const NIL_UUID = new Uint8Array(16);

function brokenHeader(view: ByteView): string | null {
  if (view.u32le(0x154) % SECTOR !== 0) return 'block map offset';
  if (view.u32le(0x158) % SECTOR !== 0) return 'data offset';
  if (view.u32le(0x168) !== SECTOR) return `sector size ${view.u32le(0x168)}`;
  if (view.u32le(0x178) !== BLOCK) return `block size ${view.u32le(0x178)}`;
  const blocks = view.u32le(0x180);
  if (blocks > MAX_BLOCKS) return 'too many blocks';
  if (wholeSectors(view.u64le(0x170)) > BigInt(blocks) * BigInt(BLOCK)) return 'block map too small';
  return null;
}

function* allocatedBytes(view: ByteView, virtualSize: bigint): Reading<bigint | null> {
  const blocks = Number((virtualSize + BigInt(BLOCK) - 1n) / BigInt(BLOCK));
  if (blocks * 4 > MAX_BLOCK_MAP) return null;
  const map = new ByteView(yield { offset: BigInt(view.u32le(0x154)), length: blocks * 4 });
  let allocated = 0n;
  for (let i = 0; i * 4 + 4 <= map.length; i++) {
    if (map.u32le(i * 4) >= NO_DATA) continue;
    const left = virtualSize - BigInt(i) * BigInt(BLOCK);
    allocated += left < BigInt(BLOCK) ? left : BigInt(BLOCK);
  }
  return allocated;
}

/** VirtualBox's VDI 1.1 (VDICore.h); V in the header, A from the block map. */
export const VDI: Format = {
  name: 'vdi',
  recognise: (prefix) => prefix.startsWith(SIGNATURE, SIGNATURE_OFFSET),

  *read(view: ByteView, options: ProbeOptions): Reading<DiskFacts> {
    const version = view.u32le(0x44);
    if (version !== VERSION_1_1)
      return unusable('vdi', 'unsupported-feature', `version 0x${version.toString(16)}`);
    const broken = brokenHeader(view);
    if (broken !== null) return unusable('vdi', 'corrupt-header', broken);
    const virtualSize = wholeSectors(view.u64le(0x170));

    // qemu-img opens an image of the differencing type as if it stood alone; only a parent's id stops it.
    const defects: Defect[] = [];
    if (view.u32le(0x4c) === DIFFERENCING) defects.push({ code: 'differencing', detail: 'image type 4' });
    else if (!view.startsWith(NIL_UUID, 0x1a8) || !view.startsWith(NIL_UUID, 0x1b8))
      defects.push({ code: 'differencing', detail: 'linked to another image' });
    const isMapped = options.map && defects.length === 0;
    const allocatedSize = isMapped ? yield* allocatedBytes(view, virtualSize) : null;
    return disk('vdi', virtualSize, { allocatedSize, defects });
  },
};
