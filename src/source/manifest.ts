import { listAt, objectAt, textAt } from '../object/object.ts';
import { isDigest } from './reference.ts';
import { SourceError } from './source.ts';

/** What a manifest may be of; sent as Accept. */
export const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

/** A blob of an image: its digest and its length in bytes as the manifest gives it. */
export interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

export interface ImageManifest {
  readonly config: Descriptor;
  /** In the order in which they are applied. */
  readonly layers: readonly Descriptor[];
}

/** More layers than any file system driver stacks. */
const MAX_LAYERS = 128;

/** Whether a document is an index over several platforms, an image's own manifest, or neither. */
export function kindOf(document: unknown): 'index' | 'image' | undefined {
  if (listAt(document, 'manifests').length > 0) return 'index';
  return objectAt(document, 'config') === undefined ? undefined : 'image';
}

/**
 * The digest of the manifest for linux on `architecture`; where none is asked for, amd64 or else the first.
 * Throws `not-found`.
 */
export function forPlatform(index: unknown, architecture: string | undefined): string {
  const platforms = listAt(index, 'manifests')
    .filter((entry) => textAt(entry, 'platform', 'os') === 'linux')
    .map((entry) => ({
      architecture: textAt(entry, 'platform', 'architecture'),
      digest: textAt(entry, 'digest'),
    }));
  const wanted = platforms.find((entry) => entry.architecture === (architecture ?? 'amd64'));
  const found = wanted ?? (architecture === undefined ? platforms[0] : undefined);
  if (found === undefined) throw new SourceError('not-found', 'no image for this architecture');
  if (found.digest === undefined || !isDigest(found.digest)) throw new SourceError('bad-answer', 'its index');
  return found.digest;
}

/** An image's manifest, checked: digests become part of URLs. Throws `bad-answer`. */
export function parseManifest(document: unknown): ImageManifest {
  const layers = listAt(document, 'layers').map(descriptor);
  const config = descriptor(objectAt(document, 'config'));
  if (layers.length > MAX_LAYERS) throw new SourceError('bad-answer', 'its manifest');
  return { config, layers };
}

function descriptor(entry: unknown): Descriptor {
  const digest = textAt(entry, 'digest');
  const size = objectAt(entry)?.size;
  if (digest === undefined || !isDigest(digest) || !Number.isSafeInteger(size) || (size as number) < 0)
    throw new SourceError('bad-answer', 'its manifest');
  return { digest, size: size as number };
}
