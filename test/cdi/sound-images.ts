import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  incompressible,
  KiB,
  MiB,
  ofBytes,
  ofDisk,
  packed,
  program,
  type Sample,
  written,
} from './making.ts';

/** Data at both ends and a hole between them. */
const holed = (length: number) => () => {
  const disk = Buffer.alloc(length);
  const data = incompressible(64 * KiB);
  data.copy(disk);
  data.copy(disk, length - data.length);
  return disk;
};
const full = (length: number) => () => incompressible(length);

const qcow2 = (name: string, ...options: string[]) =>
  ofDisk(
    `qcow2: ${name}`,
    `${name.replaceAll(/[^a-z0-9]+/g, '-')}.qcow2`,
    holed(3 * MiB),
    '-O',
    'qcow2',
    ...options,
  );

const FULL_QCOW2 = ofDisk('qcow2 without holes', 'full.qcow2', full(2 * MiB), '-O', 'qcow2');
const FULL_VMDK = ofDisk('vmdk without holes', 'full.vmdk', full(2 * MiB), '-O', 'vmdk');
const FULL_RAW = ofBytes('raw without holes', 'full.raw', full(2 * MiB));

/** The volume descriptor of ISO 9660 in its 17th sector. */
function iso(): Buffer {
  const disk = incompressible(2 * MiB);
  disk.fill(0, 0, 32 * KiB);
  disk.write('\x01CD001\x01', 32 * KiB, 'latin1');
  return disk;
}

function withPartitionTable(): Buffer {
  const disk = incompressible(2 * MiB);
  disk.fill(0, 0, 512);
  disk.writeUInt8(0x83, 450);
  disk.writeUInt16LE(0xaa55, 510);
  return disk;
}

/** Images that CDI imports, bare. */
const BARE: readonly Sample[] = [
  qcow2('v3'),
  qcow2('v2', '-o', 'compat=0.10'),
  ...['512', '4k', '128k', '2M'].map((size) => qcow2(`clusters of ${size}`, '-o', `cluster_size=${size}`)),
  qcow2('zlib', '-c', '-o', 'compression_type=zlib'),
  qcow2('zstd', '-c', '-o', 'compression_type=zstd'),
  qcow2('extended l2', '-o', 'extended_l2=on'),
  qcow2('lazy refcounts', '-o', 'lazy_refcounts=on'),
  qcow2('refcounts of 1 bit', '-o', 'refcount_bits=1'),
  qcow2('preallocated metadata', '-o', 'preallocation=metadata'),
  qcow2('preallocated whole', '-o', 'preallocation=falloc'),
  ofDisk('qcow2: odd number of sectors', 'odd.qcow2', holed(2 * MiB + 512), '-O', 'qcow2'),
  {
    name: 'qcow2: with a snapshot',
    make: async (folder) => {
      const file = await qcow2('snapshot').make(folder);
      await program('qemu-img', 'snapshot', '-c', 'first', join(folder, file));
      return file;
    },
  },
  {
    name: 'qcow2: with trailing bytes',
    make: async (folder) => {
      const file = await qcow2('trailing').make(folder);
      await appendFile(join(folder, file), incompressible(4242));
      return file;
    },
  },
  {
    name: 'qcow2: nothing in it',
    make: async (folder) => {
      await program('qemu-img', 'create', '-q', '-f', 'qcow2', join(folder, 'empty.qcow2'), '8M');
      return 'empty.qcow2';
    },
  },
  {
    name: 'qcow2: 4 TiB, nothing in it',
    make: async (folder) => {
      await program('qemu-img', 'create', '-q', '-f', 'qcow2', join(folder, 'huge.qcow2'), '4T');
      return 'huge.qcow2';
    },
  },
  ofDisk('vmdk: monolithicSparse', 'sparse.vmdk', holed(3 * MiB), '-O', 'vmdk'),
  ofDisk(
    'vmdk: streamOptimized',
    'stream.vmdk',
    holed(3 * MiB),
    '-O',
    'vmdk',
    '-o',
    'subformat=streamOptimized',
  ),
  ofDisk(
    'vmdk: for ESX',
    'esx.vmdk',
    holed(2 * MiB),
    '-O',
    'vmdk',
    '-o',
    'adapter_type=lsilogic,hwversion=13',
  ),
  ofDisk('vdi: dynamic', 'dynamic.vdi', holed(3 * MiB), '-O', 'vdi'),
  ofDisk('vdi: static', 'static.vdi', holed(3 * MiB), '-O', 'vdi', '-o', 'static=on'),
  ofDisk('vdi: odd number of sectors', 'odd.vdi', holed(3 * MiB + 512), '-O', 'vdi'),
  ofDisk('vpc: dynamic', 'dynamic.vpc', holed(3 * MiB), '-O', 'vpc'),
  ofDisk('vpc: dynamic, size by force', 'forced.vpc', holed(3 * MiB), '-O', 'vpc', '-o', 'force_size=on'),
  ofDisk('vpc: fixed', 'fixed.vpc', full(3 * MiB), '-O', 'vpc', '-o', 'subformat=fixed'),
  ofDisk(
    'vpc: fixed, size by force',
    'fixed-forced.vpc',
    full(3 * MiB),
    '-O',
    'vpc',
    '-o',
    'subformat=fixed,force_size=on',
  ),
  ofDisk('vhdx: dynamic', 'dynamic.vhdx', holed(3 * MiB), '-O', 'vhdx'),
  ofDisk('vhdx: fixed', 'fixed.vhdx', holed(3 * MiB), '-O', 'vhdx', '-o', 'subformat=fixed'),
  ofDisk('vhdx: blocks of 8 MiB', 'blocks.vhdx', holed(3 * MiB), '-O', 'vhdx', '-o', 'block_size=8M'),
  ofBytes('raw: whole MiB', 'whole.raw', full(2 * MiB)),
  ofBytes('raw: one byte more than whole sectors', 'odd.raw', full(2 * MiB + 1)),
  ofBytes('raw: one byte less than whole sectors', 'short.raw', full(2 * MiB - 1)),
  ofBytes('raw: just over 1 MiB', 'least.raw', full(MiB + 512)),
  ofBytes('raw: nothing but zeros', 'zeros.raw', () => Buffer.alloc(2 * MiB)),
  ofBytes('raw: with a partition table', 'mbr.raw', withPartitionTable),
  ofBytes('raw: ISO 9660', 'cd.iso', iso),
];

/** Several gzip members after one another are one file to gzip. */
const GZIP_MEMBERS: Sample = {
  name: 'raw in gz of several members',
  diskSize: BigInt(2 * MiB),
  make: async (folder) => {
    const disk = incompressible(2 * MiB);
    const members = [disk.subarray(0, MiB), disk.subarray(MiB)].map((part) => gzipSync(part));
    await written(folder, 'members.raw.gz', Buffer.concat(members));
    return 'members.raw.gz';
  },
};

const GZIP = ['gzip', '-nc'];
const XZ = ['xz', '-6c'];
const ZSTD = ['zstd', '-qc'];

/** The same, wrapped; without holes, because this build of the importer fails on many a sound file that has them. */
const WRAPPED: readonly Sample[] = [
  packed('qcow2 in gz', 'gz', FULL_QCOW2, ...GZIP),
  packed('qcow2 in xz', 'xz', FULL_QCOW2, ...XZ),
  packed('vmdk in gz', 'gz', FULL_VMDK, ...GZIP),
  packed('vmdk in xz', 'xz', FULL_VMDK, ...XZ),
  // The length at the end of a gzip file is modulo 2^32 and proves nothing.
  { ...packed('raw in gz', 'gz', FULL_RAW, ...GZIP), diskSize: BigInt(2 * MiB) },
  packed('raw in xz', 'xz', FULL_RAW, ...XZ),
  packed('raw in xz of several blocks', 'xz', FULL_RAW, ...XZ, '--block-size=512KiB'),
  packed('raw in xz with a CRC32', 'xz', FULL_RAW, ...XZ, '--check=crc32'),
  packed('raw in zst', 'zst', FULL_RAW, ...ZSTD),
  packed('qcow2 in gz in xz', 'xz', packed('', 'gz', FULL_QCOW2, ...GZIP), ...XZ),
  packed('qcow2 in xz in gz', 'gz', packed('', 'xz', FULL_QCOW2, ...XZ), ...GZIP),
  {
    ...packed('raw in zst in gz', 'gz', packed('', 'zst', FULL_RAW, ...ZSTD), ...GZIP),
    diskSize: BigInt(2 * MiB),
  },
  GZIP_MEMBERS,
];

export const SOUND_IMAGES: readonly Sample[] = [...BARE, ...WRAPPED];

const HOLED_QCOW2 = ofDisk('qcow2 with holes', 'holed.qcow2', holed(64 * MiB), '-O', 'qcow2');
const ZEROS = ofBytes('zeros', 'zeros.raw', () => Buffer.alloc(64 * MiB));

/**
 * Sound images that this build of the importer fails on, and with which reason: its own decoders, called alone, read them
 * (docs/cdi.md).
 */
export const ONLY_THE_IMPORTER_REFUSES: readonly (readonly [Sample, RegExp])[] = [
  [packed('zeros in xz', 'xz', ZEROS, ...XZ), /xz: checksum error for block/],
  [packed('zeros in zst', 'zst', ZEROS, ...ZSTD), /unexpected EOF/],
  [packed('qcow2 in zst', 'zst', FULL_QCOW2, ...ZSTD), /compressed size too big/],
  [packed('qcow2 with holes in zst', 'zst', HOLED_QCOW2, ...ZSTD), /unexpected EOF|compressed size too big/],
];
