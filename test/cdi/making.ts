import { execFile } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

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

export function program(file: string, ...args: readonly string[]): Promise<unknown> {
  return run(file, args);
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
      const { stdout } = await run(compressor, [...args, join(folder, inner)], {
        encoding: 'buffer',
        maxBuffer: 256 * MiB,
      });
      const file = `${inner}.${suffix}`;
      await written(folder, file, stdout);
      return file;
    },
  };
}
