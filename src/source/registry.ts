import type { ByteRange } from '../bytes/range.ts';
import type { ByteSource } from '../bytes/source.ts';
import { textAt } from '../object/object.ts';
import { Client } from './client.ts';
import { canHold, findDisk, Inflation, isDiskFile, openLayer } from './layer.ts';
import { type Descriptor, forPlatform, type ImageManifest, kindOf, parseManifest } from './manifest.ts';
import type { ByteQueue } from './queue.ts';
import { type ImageReference, parseReference } from './reference.ts';
import { Repository } from './repository.ts';
import { type OpenSource, SourceError, type SourceRequest } from './source.ts';
import { type TarEntry, TarError } from './tar.ts';

/** Bytes from the beginning of the disk file that can be reached: a layer is one stream, and has no ranges. */
const MAX_PREFIX = 1024 * 1024;

/**
 * The disk file of a container image: the first in `disk/`, in the order of the layers. Its length is the
 * tar entry's; only its first MiB can be read.
 */
export const openRegistry: OpenSource = async (request, context) => {
  const reference = parseReference(request.url);
  const client = new Client(context, request);
  try {
    return await openDisk(client, reference, request);
  } catch (error) {
    client.close();
    throw error;
  }
};

async function openDisk(
  client: Client,
  reference: ImageReference,
  request: SourceRequest,
): Promise<ByteSource> {
  const { repository, document } = await firstManifest(client, reference, request);
  const manifest = await imageManifest(repository, document, request.architecture);
  const inflation = new Inflation();
  let unreadable: SourceError | undefined;
  for (const layer of manifest.layers) {
    try {
      const found = await diskIn(client, repository, layer, inflation);
      if (found !== undefined) return new DiskSource(client, layer.digest, found.entry, found.queue);
    } catch (error) {
      // CDI goes on to the next layer after one that it cannot read.
      unreadable = undecodable(error);
    }
  }
  throw unreadable ?? new SourceError('not-an-image', 'no file in disk/');
}

/** The reference's manifest: by plain http only where no certificate is to be checked, and https does not answer. */
async function firstManifest(client: Client, reference: ImageReference, request: SourceRequest) {
  const over = async (scheme: 'http' | 'https') => {
    const repository = new Repository(client, reference, scheme, request);
    return { repository, document: await repository.manifest(reference.version) };
  };
  try {
    return await over('https');
  } catch (error) {
    const answers = !(error instanceof SourceError && (error.code === 'tls' || error.code === 'unreachable'));
    if (answers || request.insecureSkipVerify !== true) throw error;
    return over('http');
  }
}

/** The manifest for the platform that is asked for. Throws `not-found` where there is none, as CDI does. */
async function imageManifest(
  repository: Repository,
  document: unknown,
  architecture: string | undefined,
): Promise<ImageManifest> {
  const kind = kindOf(document);
  if (kind === 'index') {
    const chosen = await repository.manifest(forPlatform(document, architecture));
    if (kindOf(chosen) !== 'image') throw new SourceError('bad-answer', 'its index');
    return parseManifest(chosen);
  }
  if (kind === undefined) throw new SourceError('bad-answer', 'its manifest');
  const manifest = parseManifest(document);
  if (architecture === undefined) return manifest;
  const config = await repository.document(manifest.config.digest);
  if (textAt(config, 'architecture') !== architecture)
    throw new SourceError('not-found', 'no image for this architecture');
  return manifest;
}

async function diskIn(client: Client, repository: Repository, layer: Descriptor, inflation: Inflation) {
  const answer = await repository.blob(layer.digest);
  const { queue, codec } = await openLayer(client.stream(answer), inflation);
  try {
    const entry = await findDisk(queue);
    if (entry !== undefined) {
      if (!isDiskFile(entry)) throw new SourceError('not-an-image', 'no file in disk/');
      if (!canHold(codec, layer.size, entry))
        throw new SourceError('bad-answer', 'an entry longer than its layer');
      return { entry, queue };
    }
  } catch (error) {
    await queue.close();
    throw error;
  }
  await queue.close();
  return undefined;
}

/** What a layer's own content did wrong, as a SourceError; anything else is thrown on. */
function undecodable(error: unknown): SourceError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (error instanceof TarError || /^(Z_|ZSTD_)/.test(code)) return new SourceError('bad-answer', 'a layer');
  throw error;
}

/** The first bytes of one tar entry, decompressed as far as they are asked for. */
class DiskSource implements ByteSource {
  readonly size: bigint;
  readonly identity: string;
  readonly #client: Client;
  readonly #queue: ByteQueue;
  #prefix: Uint8Array = new Uint8Array(0);

  constructor(client: Client, digest: string, entry: TarEntry, queue: ByteQueue) {
    this.size = entry.size;
    this.identity = digest;
    this.#client = client;
    this.#queue = queue;
  }

  get cost() {
    return this.#client.spending.cost;
  }

  async read(range: ByteRange): Promise<Uint8Array> {
    if (range.offset >= this.size) return new Uint8Array(0);
    const past = range.offset + BigInt(range.length);
    const end = past < this.size ? past : this.size;
    if (end > BigInt(MAX_PREFIX)) throw new SourceError('over-budget', 'a layer has no ranges');
    await this.#fill(Number(end));
    return this.#prefix.subarray(Number(range.offset), Number(end));
  }

  close(): void {
    this.#client.close();
  }

  async #fill(length: number): Promise<void> {
    const missing = length - this.#prefix.length;
    if (missing <= 0) return;
    const more = await this.#queue.take(missing).catch((error: unknown) => {
      throw undecodable(error);
    });
    this.#prefix = Buffer.concat([this.#prefix, more]);
    if (more.length < missing) throw new SourceError('bad-answer', 'a layer ends early');
  }
}
