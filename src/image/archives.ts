import type { ByteView } from '../bytes/view.ts';
import type { Format } from './format.ts';
import { misread } from './unimportable.ts';
import { isSkippableFrame } from './zst-frame.ts';

const TAR_MAGIC = new TextEncoder().encode('ustar');
const TAR_MAGIC_OFFSET = 257;
const TAR_NAME_LENGTH = 100;
/** bzip2 of something, of nothing: the magic of its first block, of its end. */
const BZIP2_BLOCKS = [
  [0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
  [0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
];

function archive(name: string, recognise: (prefix: ByteView) => boolean): Format {
  return misread(name, recognise, 'unsupported-wrapper');
}

function byMagic(name: string, magic: readonly number[]): Format {
  return archive(name, (prefix) => prefix.startsWith(magic));
}

function isTar(prefix: ByteView): boolean {
  return prefix.startsWith(TAR_MAGIC, TAR_MAGIC_OFFSET);
}

/** A tar that begins with an OVF descriptor, as the OVF specification wants it. */
function isOva(prefix: ByteView): boolean {
  return isTar(prefix) && /\.ovf\0/i.test(prefix.ascii(0, TAR_NAME_LENGTH));
}

function isBzip2(prefix: ByteView): boolean {
  return /^BZh[1-9]/.test(prefix.ascii(0, 4)) && BZIP2_BLOCKS.some((magic) => prefix.startsWith(magic, 4));
}

/**
 * .lzma has no magic: properties 0x5D, a dictionary of 2^n or 2^n + 2^(n-1) bytes, a size of up to 2^40 or
 * unknown (all ones), and a range coder that always begins with 0.
 */
function isLzma(prefix: ByteView): boolean {
  if (prefix.u8(0) !== 0x5d || prefix.u8(13) !== 0) return false;
  const dictionary = prefix.u32le(1);
  const lowest = dictionary & -dictionary;
  const rest = (dictionary ^ lowest) >>> 0;
  const isDictionary = dictionary >= 4096 && (rest === 0 || rest === (lowest << 1) >>> 0);
  const size = prefix.u64le(5);
  return isDictionary && (size < 1n << 40n || size === 0xffff_ffff_ffff_ffffn);
}

/** Archives and compressions that CDI does not unpack: it imports their bytes as the disk. */
export const ARCHIVES: readonly Format[] = [
  archive('bzip2', isBzip2),
  byMagic('zip', [0x50, 0x4b, 3, 4]),
  byMagic('zip', [0x50, 0x4b, 5, 6]),
  archive('OVA', isOva),
  archive('tar', isTar),
  archive('lzma', isLzma),
  byMagic('lzip', [0x4c, 0x5a, 0x49, 0x50, 1]),
  byMagic('lz4', [0x04, 0x22, 0x4d, 0x18]),
  byMagic('lzop', [0x89, 0x4c, 0x5a, 0x4f, 0, 0x0d, 0x0a, 0x1a, 0x0a]),
  byMagic('7z', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]),
  byMagic('rar', [0x52, 0x61, 0x72, 0x21, 0x1a, 7]),
  archive('zst behind a skippable frame', (prefix) => isSkippableFrame(prefix, 0)),
];
