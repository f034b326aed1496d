import { pipeline, Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { ByteQueue } from './queue.ts';
import { SourceError } from './source.ts';
import { dataLength, nextEntry, type TarEntry } from './tar.ts';

/** Bytes that all layers of one image may give once decompressed: a bomb ends here. */
export const MAX_INFLATED = 4 * 1024 * 1024;

/** What deflate can make of one byte at the most: 258 bytes of two bits each. */
const DEFLATE_RATIO = 1032n;

/** How a layer is stored. Its first bytes decide, as in CDI, not its media type. */
export type LayerCodec = 'gzip' | 'zstd' | 'plain';

/** Counts what layers gave once decompressed, over all of an image. */
export class Inflation {
  #left = MAX_INFLATED;

  /** Throws `over-budget`. */
  add(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new SourceError('over-budget', 'decompressed bytes');
  }
}

/** A layer as the tar archive that it is, decompressed as it is read. */
export async function openLayer(
  stored: AsyncIterable<Uint8Array>,
  inflation: Inflation,
): Promise<{ readonly queue: ByteQueue; readonly codec: LayerCodec }> {
  const chunks = stored[Symbol.asyncIterator]();
  const start = new ByteQueue(chunks);
  const magic = await start.take(4);
  const codec = codecOf(magic);
  return { codec, queue: new ByteQueue(inflate(joined(magic, start), codec, inflation)) };
}

function codecOf(magic: Uint8Array): LayerCodec {
  const hex = Buffer.from(magic).toString('hex');
  if (hex.startsWith('1f8b')) return 'gzip';
  return hex === '28b52ffd' ? 'zstd' : 'plain';
}

/** The stream again, with what was taken off its beginning. */
async function* joined(first: Uint8Array, rest: ByteQueue): AsyncGenerator<Uint8Array, void> {
  try {
    yield first;
    for (let chunk = await rest.chunk(); chunk !== undefined; chunk = await rest.chunk()) yield chunk;
  } finally {
    await rest.close();
  }
}

async function* inflate(
  stored: AsyncIterable<Uint8Array>,
  codec: LayerCodec,
  inflation: Inflation,
): AsyncGenerator<Uint8Array, void> {
  const chunks = codec === 'plain' ? stored : decoded(stored, codec);
  for await (const chunk of chunks) {
    inflation.add(chunk.length);
    yield chunk;
  }
}

function decoded(stored: AsyncIterable<Uint8Array>, codec: 'gzip' | 'zstd'): AsyncIterable<Uint8Array> {
  const decoder = codec === 'gzip' ? createGunzip() : createZstdDecompress();
  // Its outcome is that of the decoder, which whoever reads it is told.
  pipeline(Readable.from(stored), decoder, () => {});
  return decoder;
}

/**
 * The entry that CDI takes for the disk image: the first that is neither folder nor whiteout and whose path
 * begins with `disk`, whatever follows. The queue is left at its data. Undefined where the layer has none.
 */
export async function findDisk(queue: ByteQueue): Promise<TarEntry | undefined> {
  for (let entry = await nextEntry(queue); entry !== undefined; entry = await nextEntry(queue)) {
    if (/^(\.\/)?disk/.test(entry.name) && entry.type !== 'folder' && !isWhiteout(entry.name)) return entry;
    if (!(await queue.skip(dataLength(entry)))) return undefined;
  }
  return undefined;
}

function isWhiteout(name: string): boolean {
  return name.slice(name.lastIndexOf('/') + 1).startsWith('.wh.');
}

/** Whether CDI can use what it took: a plain file directly under `disk/`. */
export function isDiskFile({ name, type }: TarEntry): boolean {
  return type === 'file' && /^(\.\/)?disk\/[^/]+$/.test(name);
}

/** Whether a layer of `stored` bytes can hold an entry as long as it says. */
export function canHold(codec: LayerCodec, stored: number, entry: TarEntry): boolean {
  if (codec === 'zstd') return true;
  return entry.size <= BigInt(stored) * (codec === 'gzip' ? DEFLATE_RATIO : 1n);
}
