import { ByteView } from '../bytes/view.ts';
import type { DefectCode, Reading } from './image.ts';

const SIGNATURE = new TextEncoder().encode('metadata');
/** The table is 64 KiB; items lie behind it ([MS-VHDX] 2.6), those that count within the next 64 KiB. Bytes. */
const READ_LENGTH = 128 * 1024;
const TABLE_LENGTH = 64 * 1024;
const ENTRY_LENGTH = 32;
const MAX_ENTRIES = 2047;

/** Identifiers as they lie in the file: the first three fields little-endian. */
const ITEMS = {
  fileParameters: [55, 103, 161, 202, 54, 250, 67, 77, 179, 182, 51, 240, 170, 68, 231, 107],
  virtualDiskSize: [36, 66, 165, 47, 27, 205, 118, 72, 178, 17, 93, 190, 216, 59, 244, 184],
  page83: [171, 18, 202, 190, 230, 178, 35, 69, 147, 239, 195, 9, 224, 0, 199, 70],
  logicalSectorSize: [29, 191, 65, 129, 111, 169, 9, 71, 186, 71, 242, 51, 168, 250, 171, 95],
  physicalSectorSize: [199, 72, 163, 205, 93, 68, 113, 68, 156, 201, 233, 136, 82, 81, 197, 86],
} as const;

const MAX_OFFSET = (1n << 63n) - 1n;
const MIN_BLOCK = 1 << 20;
const MAX_BLOCK = 256 << 20;

export type VhdxMetadata =
  | { readonly kind: 'metadata'; readonly virtualSize: bigint; readonly blockSize: number }
  | { readonly kind: 'broken'; readonly code: DefectCode; readonly detail: string };

/** Reads the metadata region at `offset` (bytes into the file). Throws OutOfBoundsError where an item is missing. */
export function* readVhdxMetadata(offset: bigint): Reading<VhdxMetadata> {
  const region = new ByteView(yield { offset, length: READ_LENGTH });
  if (region.length < TABLE_LENGTH) return broken('truncated', 'metadata region');
  if (!region.startsWith(SIGNATURE)) return broken('corrupt-header', 'metadata signature');
  const count = region.u16le(10);
  if (count > MAX_ENTRIES) return broken('corrupt-header', `${count} metadata items`);
  const found = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const at = ENTRY_LENGTH + i * ENTRY_LENGTH;
    const item = Object.entries(ITEMS).find(([, id]) => region.startsWith(id, at));
    if (item !== undefined) found.set(item[0], region.u32le(at + 16));
  }
  for (const name of Object.keys(ITEMS))
    if (!found.has(name)) return broken('corrupt-header', 'a metadata item is missing');

  const parameters = found.get('fileParameters')!;
  if ((region.u32le(parameters + 4) & 2) !== 0) return broken('differencing', 'has a parent');
  const block = region.u32le(parameters);
  if (block < MIN_BLOCK || block > MAX_BLOCK || (block & (block - 1)) !== 0)
    return broken('corrupt-header', `block size ${block}`);
  const sector = region.u32le(found.get('logicalSectorSize')!);
  if (sector !== 512) return broken('unsupported-feature', `logical sectors of ${sector} bytes`);
  const virtualSize = region.u64le(found.get('virtualDiskSize')!);
  if (virtualSize === 0n || virtualSize > MAX_OFFSET) return broken('corrupt-header', 'virtual disk size');
  // qemu counts whole sectors of 512 bytes and drops the rest.
  return { kind: 'metadata', virtualSize: (virtualSize / 512n) * 512n, blockSize: block };
}

function broken(code: DefectCode, detail: string): VhdxMetadata {
  return { kind: 'broken', code, detail };
}
