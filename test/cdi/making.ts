import { execFile } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireTool } from './container.ts';

export const KiB = 1024;
export const MiB = 1024 * KiB;

const run = promisify(execFile);

/** One image of the corpus: `make` leaves its file in the folder and answers the file's name. */
export interface Sample {
  readonly name: string;
  readonly make: (folder: string) => Promise<string>;
  /** Bytes of the disk in it, where the file itself does not tell them. */
  readonly diskSize?: bigint;
}

/** The same bytes in every run, and none that a compressor could shorten. */
export function incompressible(length: number, seed = 0): Buffer {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(length));
}

/** Debian's packages of the programs that images are made with. */
const PACKAGES: Readonly<Record<string, string>> = {
  'qemu-img': 'qemu-utils',
  xz: 'xz-utils',
  zstd: 'zstd',
  bzip2: 'bzip2',
};

/** What a program writes to its standard output. Throws where it fails, or is missing. */
export async function program(file: string, ...args: readonly string[]): Promise<Buffer> {
  requireTool(file, PACKAGES[file] ?? file);
  const { stdout } = await run(file, args, { encoding: 'buffer', maxBuffer: 256 * MiB });
  return stdout;
}

/** Writes bytes to a file of the folder; the answer is its path. */
export async function written(folder: string, file: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, file);
  await writeFile(path, bytes);
  return path;
}

/** `qemu-img convert` of a raw disk of those bytes. */
export async function converted(
  folder: string,
  file: string,
  disk: Uint8Array,
  args: readonly string[],
): Promise<string> {
  const raw = await written(folder, `${file}.source`, disk);
  await program('qemu-img', 'convert', '-f', 'raw', ...args, raw, join(folder, file));
  return file;
}

/** An image that `qemu-img convert` makes of that disk. */
export function ofDisk(name: string, file: string, disk: () => Uint8Array, ...args: string[]): Sample {
  return { name, make: (folder) => converted(folder, file, disk(), args) };
}

/** A file of just those bytes. */
export function ofBytes(name: string, file: string, bytes: () => Uint8Array): Sample {
  return {
    name,
    make: async (folder) => {
      await written(folder, file, bytes());
      return file;
    },
  };
}

/** Another sample with its bytes changed. */
export function patched(
  name: string,
  file: string,
  from: Sample,
  change: (bytes: Buffer) => Uint8Array,
): Sample {
  return {
    name,
    make: async (folder) => {
      const bytes = await readFile(join(folder, await from.make(folder)));
      await written(folder, file, change(bytes));
      return file;
    },
  };
}

/** Another sample as a compressor's command line packs it: the file's path is its last argument. */
export function packed(name: string, suffix: string, from: Sample, ...command: string[]): Sample {
  return {
    name,
    make: async (folder) => {
      const inner = await from.make(folder);
      const [compressor = '', ...args] = command;
      const file = `${inner}.${suffix}`;
      await written(folder, file, await program(compressor, ...args, join(folder, inner)));
      return file;
    },
  };
}

/** An empty overlay over a file that nobody else will have. */
export const withBackingFile = (name: string, format: string): Sample => ({
  name,
  make: async (folder) => {
    const base = await written(folder, 'base.raw', incompressible(2 * MiB));
    await program(
      'qemu-img',
      'create',
      '-q',
      '-f',
      format,
      '-b',
      base,
      '-F',
      'raw',
      join(folder, `overlay.${format}`),
    );
    return `overlay.${format}`;
  },
});
