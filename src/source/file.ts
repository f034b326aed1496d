import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { ByteRange } from '../bytes/range.ts';
import type { ByteSource } from '../bytes/source.ts';
import { SourceError } from './source.ts';

/** More than any parser reads at once: a length out of a header is not to become an allocation. */
const MAX_READ = 64 * 1024 * 1024;

/** A regular file of this machine. Throws SourceError: `not-found`, `unreachable` or `unsupported`. */
export async function openFile(path: string): Promise<ByteSource> {
  // Without O_NONBLOCK a pipe that nobody writes to would hold us here.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw new SourceError(error.code === 'ENOENT' ? 'not-found' : 'unreachable');
  });
  const found = await file.stat({ bigint: true });
  if (!found.isFile()) {
    await file.close();
    throw new SourceError('unsupported', 'not a regular file');
  }
  return new FileSource(file, found.size);
}

class FileSource implements ByteSource {
  readonly size: bigint;
  /** Whoever can write the file can change it in place. */
  readonly identity = null;
  readonly #file: FileHandle;
  #bytesRead = 0;

  constructor(file: FileHandle, size: bigint) {
    this.#file = file;
    this.size = size;
  }

  get cost() {
    return { bytesRead: this.#bytesRead, requests: 0 };
  }

  async read(range: ByteRange): Promise<Uint8Array> {
    if (range.length > MAX_READ) throw new SourceError('over-budget', 'bytes');
    const left = this.size - range.offset;
    const length = left < BigInt(range.length) ? Math.max(0, Number(left)) : range.length;
    const buffer = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const position = range.offset + BigInt(filled);
      const { bytesRead } = await this.#file
        .read(buffer, filled, length - filled, position)
        .catch((): never => {
          throw new SourceError('unreachable');
        });
      if (bytesRead === 0) throw new SourceError('changed');
      filled += bytesRead;
    }
    this.#bytesRead += filled;
    return buffer;
  }

  close(): void {
    void this.#file.close().catch(() => {});
  }
}
