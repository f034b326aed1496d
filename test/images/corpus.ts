import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { patched } from '../fixtures/image/file.ts';
import { noise, prose } from '../fixtures/image/noise.ts';
import { run } from './tools.ts';

/** One image made with qemu-img. */
export interface Member {
  readonly name: string;
  /** Makes the image in `file`; `content` is a raw disk with data in it. */
  readonly make: (file: string, content: string) => void;
}

/** Bytes of the raw disk that images are converted from: no whole number of clusters, blocks or sectors. */
const CONTENT_LENGTH = 6_000_001;

/** A raw disk with text, noise, a hole, and zeros that were written. */
export function makeContent(file: string): void {
  const descriptor = openSync(file, 'w');
  writeSync(descriptor, prose(400_000), 0, 400_000, 0);
  writeSync(descriptor, noise(800_000), 0, 800_000, 2_000_000);
  writeSync(descriptor, new Uint8Array(500_000), 0, 500_000, 4_000_000);
  writeSync(descriptor, prose(10), 0, 10, CONTENT_LENGTH - 10);
  ftruncateSync(descriptor, CONTENT_LENGTH);
  closeSync(descriptor);
}

function created(format: string, size: string, options = ''): Member {
  const given = options === '' ? [] : ['-o', options];
  return {
    name: `${format} ${size} ${options}`.trim(),
    make: (file) => run('qemu-img', ['create', '-q', '-f', format, ...given, file, size]),
  };
}

function converted(format: string, options = '', isCompressed = false): Member {
  const given = [...(options === '' ? [] : ['-o', options]), ...(isCompressed ? ['-c'] : [])];
  return {
    name: `${format} of content ${options}${isCompressed ? ' compressed' : ''}`.trim(),
    make: (file, content) => run('qemu-img', ['convert', '-f', 'raw', '-O', format, ...given, content, file]),
  };
}

/** A qcow2 image of the content with bytes of its header changed. */
function withHeader(name: string, at: number, byte: number): Member {
  return {
    name: `qcow2, ${name}`,
    make: (file, content) => {
      run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', content, file]);
      writeFileSync(
        file,
        patched(readFileSync(file), (image) => image.u8(at, byte)),
      );
    },
  };
}

function raw(name: string, bytes: Uint8Array): Member {
  return { name: `raw, ${name}`, make: (file) => writeFileSync(file, bytes) };
}

const QCOW2: readonly Member[] = [
  ...['1M', '1048577', '10G', '127G', '1T', '64T'].map((size) => created('qcow2', size)),
  created('qcow2', '0'),
  created('qcow2', '10G', 'preallocation=metadata,cluster_size=2M'),
  created('qcow2', '64T', 'cluster_size=2M'),
  created('qcow2', '1G', 'cluster_size=512'),
  created('qcow2', '10G', 'compat=0.10'),
  created('qcow2', '10G', 'lazy_refcounts=on'),
  created('qcow2', '10G', 'refcount_bits=1'),
  created('qcow2', '10G', 'refcount_bits=64'),
  ...['512', '1k', '4k', '8k', '64k', '512k', '1M', '2M'].map((size) =>
    converted('qcow2', `cluster_size=${size}`),
  ),
  ...['zlib', 'zstd'].flatMap((type) => [
    converted('qcow2', `compression_type=${type}`, true),
    converted('qcow2', `compression_type=${type},cluster_size=8k`, true),
    converted('qcow2', `compression_type=${type},extended_l2=on,cluster_size=128k`, true),
  ]),
  converted('qcow2', 'compat=0.10'),
  converted('qcow2', 'compat=0.10', true),
  converted('qcow2', 'extended_l2=on,cluster_size=16k'),
  converted('qcow2', 'extended_l2=on,cluster_size=2M'),
  converted('qcow2', 'preallocation=metadata'),
  converted('qcow2', 'preallocation=full,cluster_size=4k'),
  withHeader('dirty', 79, 1),
  withHeader('corrupt', 79, 2),
  withHeader('a size with a rest of a sector', 31, 0x7f),
  {
    name: 'qcow2 with snapshots',
    make: (file, content) => {
      run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', content, file]);
      for (const name of ['first', 'second']) run('qemu-img', ['snapshot', '-c', name, file]);
      run('qemu-img', ['resize', '-q', file, '+1G']);
    },
  },
  {
    name: 'qcow2 cut in half',
    make: (file, content) => {
      run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', content, file]);
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.subarray(0, bytes.length / 2));
    },
  },
];

/** Every image that CDI imports: formats, options and sizes. */
export const CORPUS: readonly Member[] = [
  ...QCOW2,
  ...['1M', '1048577', '10G', '2T'].map((size) => created('vmdk', size)),
  created('vmdk', '10G', 'subformat=streamOptimized'),
  created('vmdk', '10G', 'hwversion=6,adapter_type=lsilogic'),
  converted('vmdk', 'subformat=monolithicSparse'),
  converted('vmdk', 'subformat=streamOptimized'),

  ...['1M', '1048577', '10G', '1T', '8T'].map((size) => created('vdi', size)),
  created('vdi', '6M', 'static=on'),
  converted('vdi'),

  ...['1M', '10G', '1T', '2040G'].flatMap((size) => [
    created('vpc', size, 'subformat=dynamic'),
    created('vpc', size, 'subformat=dynamic,force_size=on'),
  ]),
  created('vpc', '4M', 'subformat=fixed'),
  created('vpc', '4M', 'subformat=fixed,force_size=on'),
  converted('vpc'),
  converted('vpc', 'force_size=on'),
  converted('vpc', 'subformat=fixed'),

  ...['1M', '10G', '64T'].map((size) => created('vhdx', size)),
  created('vhdx', '10G', 'block_size=1M,log_size=2M'),
  created('vhdx', '10G', 'block_size=256M'),
  created('vhdx', '6M', 'subformat=fixed,block_size=1M'),
  converted('vhdx'),

  created('raw', '1M'),
  created('raw', '8T'),
  { name: 'raw, content', make: (file, content) => run('qemu-img', ['convert', '-O', 'raw', content, file]) },
  raw('512 bytes', prose(512)),
  raw('513 bytes', prose(513)),
  raw('700 bytes', noise(700)),
  raw('64 KiB', noise(65_536)),
  raw(
    'an ISO',
    patched(new Uint8Array(400_000), (file) => file.put(32_769, 'CD001').put(50_000, noise(9000))),
  ),
  raw(
    'a boot sector',
    patched(prose(100_000), (file) => file.put(510, [0x55, 0xaa])),
  ),
];

/** Disks that CDI refuses or misreads: each is to have a defect, whatever else is told of it. */
export const UNUSABLE: readonly Member[] = [
  created('qcow', '10M'),
  created('qed', '10M'),
  created('parallels', '10M'),
  created('vmdk', '10M', 'subformat=monolithicFlat'),
  created('vmdk', '10M', 'subformat=twoGbMaxExtentSparse'),
  {
    name: 'qcow2 with a backing file',
    make: (file, content) =>
      run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', content, '-F', 'raw', file]),
  },
  {
    name: 'vmdk with a backing file',
    make: (file) => {
      run('qemu-img', ['create', '-q', '-f', 'vmdk', `${file}.base`, '10M']);
      run('qemu-img', ['create', '-q', '-f', 'vmdk', '-b', `${file}.base`, '-F', 'vmdk', file]);
    },
  },
  {
    name: 'qcow2 with an external data file',
    make: (file) =>
      run('qemu-img', ['create', '-q', '-f', 'qcow2', '-o', `data_file=${file}.data`, file, '10M']),
  },
  ...(['luks', 'qcow2'] as const).map((format) => ({
    name: `${format}, encrypted`,
    make: (file: string) => {
      const options = format === 'luks' ? 'iter-time=10' : 'encrypt.format=luks,encrypt.iter-time=10';
      const key = format === 'luks' ? 'key-secret=secret' : 'encrypt.key-secret=secret';
      const secret = ['--object', 'secret,id=secret,data=plimsoll'];
      run('qemu-img', ['create', '-q', ...secret, '-f', format, '-o', `${options},${key}`, file, '10M']);
    },
  })),
];
