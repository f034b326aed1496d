import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { DefectCode } from '../../src/image/image.ts';
import {
  converted,
  incompressible,
  KiB,
  MiB,
  ofBytes,
  ofDisk,
  packed,
  patched,
  program,
  type Sample,
  withBackingFile,
} from './making.ts';

export interface UnusableImage extends Sample {
  readonly defect: DefectCode;
  /** What the importer does with it, however large the PVC is. */
  readonly importer: 'refuses' | 'misreads';
}

const DISK = () => incompressible(2 * MiB);
const QCOW2 = ofDisk('', 'plain.qcow2', DISK, '-O', 'qcow2');
const VDI = ofDisk('', 'plain.vdi', DISK, '-O', 'vdi');
const RAW = ofBytes('', 'plain.raw', DISK);

const refused = (defect: DefectCode, sample: Sample): UnusableImage => ({
  ...sample,
  defect,
  importer: 'refuses',
});
const misread = (defect: DefectCode, sample: Sample): UnusableImage => ({
  ...sample,
  defect,
  importer: 'misreads',
});

/** `qemu-img create` with that file as its last argument but the size. */
const created = (name: string, file: string, ...args: string[]): Sample => ({
  name,
  make: async (folder) => {
    await program('qemu-img', 'create', '-q', ...args, join(folder, file), '2M');
    return file;
  },
});

const SECRET = ['--object', 'secret,id=key,data=secret'];

const withDataFile: Sample = {
  name: 'qcow2: external data file',
  make: async (folder) => {
    const options = `data_file=${join(folder, 'data.raw')}`;
    await program(
      'qemu-img',
      'create',
      '-q',
      '-f',
      'qcow2',
      '-o',
      options,
      join(folder, 'external.qcow2'),
      '2M',
    );
    return 'external.qcow2';
  },
};

const qcow2Header = (name: string, file: string, change: (header: Buffer) => unknown): Sample =>
  patched(name, file, QCOW2, (bytes) => {
    change(bytes);
    return bytes;
  });

const vmdk = (name: string, subformat: string): Sample =>
  ofDisk(`vmdk: ${name}`, `${subformat}.vmdk`, DISK, '-O', 'vmdk', '-o', `subformat=${subformat}`);

const extentOf = (subformat: string, extent: string): Sample => ({
  name: `vmdk: a lone extent of ${subformat}`,
  make: async (folder) => {
    await converted(folder, 'disk.vmdk', DISK(), ['-O', 'vmdk', '-o', `subformat=${subformat}`]);
    return extent;
  },
});

const archived = (name: string, file: string, ...command: string[]): Sample => ({
  name,
  make: async (folder) => {
    await RAW.make(folder);
    const [archiver = '', ...args] = command;
    await program(archiver, ...args.map((arg) => arg.replace('FOLDER', folder)));
    return file;
  },
});

const PAGE = Buffer.from(`<!DOCTYPE html><html><body>${'not found '.repeat(100)}</body></html>`);

export const UNUSABLE_IMAGES: readonly UnusableImage[] = [
  refused('backing-file', withBackingFile('qcow2: backing file that is not there', 'qcow2')),
  refused('external-data-file', withDataFile),
  refused(
    'encrypted',
    created(
      'qcow2: LUKS inside',
      'luks.qcow2',
      ...SECRET,
      '-f',
      'qcow2',
      '-o',
      'encrypt.format=luks,encrypt.key-secret=key,encrypt.iter-time=10',
    ),
  ),
  refused(
    'encrypted',
    created(
      'qcow2: AES inside',
      'aes.qcow2',
      ...SECRET,
      '-f',
      'qcow2',
      '-o',
      'encrypt.format=aes,encrypt.key-secret=key',
    ),
  ),
  refused(
    'encrypted',
    created('LUKS', 'disk.luks', ...SECRET, '-f', 'luks', '-o', 'key-secret=key,iter-time=10'),
  ),
  refused(
    'unsupported-feature',
    qcow2Header('qcow2: unknown incompatible feature', 'feature.qcow2', (header) =>
      header.writeUInt8(0x80, 76),
    ),
  ),
  refused(
    'unsupported-feature',
    qcow2Header('qcow2: version 4', 'version.qcow2', (header) => header.writeUInt32BE(4, 4)),
  ),
  refused(
    'corrupt-header',
    qcow2Header('qcow2: clusters of 4 MiB', 'clusters.qcow2', (header) => header.writeUInt32BE(22, 20)),
  ),
  refused(
    'corrupt-header',
    qcow2Header('qcow2: L1 table too small', 'l1.qcow2', (header) => header.writeUInt32BE(0, 36)),
  ),
  refused(
    'under-512-bytes',
    patched('qcow2: cut to 511 bytes', 'cut.qcow2', QCOW2, (bytes) => bytes.subarray(0, 511)),
  ),
  refused(
    'under-512-bytes',
    ofBytes('raw: 511 bytes', 'short.raw', () => incompressible(511)),
  ),
  refused(
    'under-512-bytes',
    ofBytes('raw: no bytes', 'none.raw', () => Buffer.alloc(0)),
  ),
  refused(
    'under-512-bytes',
    ofBytes('gz: 100 bytes inside', 'short.raw.gz', () => gzipSync(incompressible(100))),
  ),
  refused('descriptor-only', vmdk('monolithicFlat', 'monolithicFlat')),
  refused('descriptor-only', vmdk('twoGbMaxExtentSparse', 'twoGbMaxExtentSparse')),
  refused('descriptor-only', vmdk('twoGbMaxExtentFlat', 'twoGbMaxExtentFlat')),
  refused('descriptor-only', extentOf('twoGbMaxExtentSparse', 'disk-s001.vmdk')),
  refused('unsupported-format', ofDisk('qcow: version 1', 'disk.qcow', DISK, '-O', 'qcow')),
  refused('unsupported-format', ofDisk('qed', 'disk.qed', DISK, '-O', 'qed')),
  refused('unsupported-format', ofDisk('parallels', 'disk.hdd', DISK, '-O', 'parallels')),
  refused(
    'broken-wrapper',
    patched('gz: cut off', 'cut.raw.gz', packed('', 'gz', RAW, 'gzip', '-nc'), (bytes) =>
      bytes.subarray(0, 600),
    ),
  ),
  misread(
    'differencing',
    patched('vdi: differencing', 'differencing.vdi', VDI, (bytes) => {
      bytes.writeUInt32LE(4, 0x4c);
      return bytes;
    }),
  ),
  misread('unsupported-wrapper', packed('bz2', 'bz2', RAW, 'bzip2', '-c')),
  misread('unsupported-wrapper', packed('lzma', 'lzma', RAW, 'xz', '--format=lzma', '-c')),
  misread(
    'unsupported-wrapper',
    archived('tar', 'disk.tar', 'tar', '-C', 'FOLDER', '-cf', 'FOLDER/disk.tar', 'plain.raw'),
  ),
  misread(
    'unsupported-wrapper',
    archived('tar in gz', 'disk.tar.gz', 'tar', '-C', 'FOLDER', '-czf', 'FOLDER/disk.tar.gz', 'plain.raw'),
  ),
  misread(
    'unsupported-wrapper',
    packed('gz in gz', 'gz', packed('', 'gz', RAW, 'gzip', '-nc'), 'gzip', '-nc'),
  ),
  misread('unsupported-wrapper', packed('xz in xz', 'xz', packed('', 'xz', RAW, 'xz', '-c'), 'xz', '-c')),
  misread(
    'unsupported-wrapper',
    patched(
      'zst that begins with a skippable frame',
      'skippable.zst',
      packed('', 'zst', RAW, 'zstd', '-qc'),
      (bytes) => Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]), bytes]),
    ),
  ),
  misread(
    'unsupported-format',
    ofBytes('an HTML page', 'page.html', () => PAGE),
  ),
];

/** Broken images that cannot be told by a look at their first bytes: what the importer does, and we say nothing of. */
export const NOT_SEEN: readonly UnusableImage[] = [
  misread(
    'truncated',
    patched('qcow2: cut in half', 'half.qcow2', QCOW2, (bytes) => bytes.subarray(0, bytes.length / 2)),
  ),
  refused(
    'broken-wrapper',
    patched(
      'gz: a wrong checksum at its end',
      'sum.raw.gz',
      packed('', 'gz', RAW, 'gzip', '-nc'),
      (bytes) => {
        bytes.writeUInt32LE(0, bytes.length - 8);
        return bytes;
      },
    ),
  ),
  refused(
    'broken-wrapper',
    patched('gz: junk behind its end', 'junk.raw.gz', packed('', 'gz', RAW, 'gzip', '-nc'), (bytes) =>
      Buffer.concat([bytes, incompressible(KiB)]),
    ),
  ),
];
