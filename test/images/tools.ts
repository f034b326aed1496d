import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ByteRange } from '../../src/bytes/range.ts';
import type { ByteSource } from '../../src/bytes/source.ts';
import { driveReading } from '../../src/evaluate/drive.ts';
import type { ImageFacts } from '../../src/image/image.ts';
import { readImage } from '../../src/image/read.ts';

const TOOLS = ['qemu-img', 'gzip', 'xz', 'zstd'] as const;
export type Tool = (typeof TOOLS)[number];

/** Throws, naming what has to be installed, unless every program that these tests need is there. */
export function requireTools(): void {
  const missing = TOOLS.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
  if (missing.length > 0)
    throw new Error(
      `npm run test:images needs ${missing.join(', ')} (Debian: qemu-utils gzip xz-utils zstd)`,
    );
}

/** Runs a program to its end and returns what it wrote; throws with its complaint where it fails. */
export function run(tool: Tool, args: readonly string[], input?: Uint8Array): Buffer {
  const done = spawnSync(tool, args, { maxBuffer: 1 << 28, ...(input === undefined ? {} : { input }) });
  if (done.status !== 0) throw new Error(`${tool} ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

/** A folder of its own, and how to remove it. */
export function scratchFolder(): { readonly path: (name: string) => string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-images-'));
  return {
    path: (name) => join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What qemu-img says of a file, by the format it finds itself; null where it refuses it. */
export function qemuInfo(file: string): { readonly format: string; readonly virtualSize: number } | null {
  const done = spawnSync('qemu-img', ['info', '--output=json', file], { encoding: 'utf8' });
  if (done.status !== 0) return null;
  const info = JSON.parse(done.stdout) as { format: string; 'virtual-size': number };
  return { format: info.format, virtualSize: info['virtual-size'] };
}

/** The bytes that `qemu-img map` says hold data. */
export function qemuAllocated(file: string): bigint {
  const extents = JSON.parse(run('qemu-img', ['map', '--output=json', file]).toString()) as {
    length: number;
    data: boolean;
  }[];
  return extents.reduce((sum, { data, length }) => (data ? sum + BigInt(length) : sum), 0n);
}

/** What we say of a file. */
export async function probeFile(file: string, map = true): Promise<ImageFacts> {
  const descriptor = openSync(file, 'r');
  const size = BigInt(fstatSync(descriptor).size);
  const source: ByteSource = {
    size,
    identity: null,
    cost: { bytesRead: 0, requests: 0 },
    async read(range: ByteRange) {
      const bytes = new Uint8Array(range.length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, range.length, range.offset));
    },
    close: () => closeSync(descriptor),
  };
  try {
    return await driveReading(readImage({ storedSize: size, map }), source);
  } finally {
    source.close();
  }
}
