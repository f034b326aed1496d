import { ByteView, OutOfBoundsError } from '../bytes/view.ts';
import { type DiskFacts, PREFIX_LENGTH, unusable } from './format.ts';
import { FORMATS } from './formats.ts';
import type { ImageFacts, ProbeOptions, Reading } from './image.ts';
import { rawDisk } from './raw.ts';
import { unwrap } from './unwrap.ts';
import { UnreachableBytesError } from './wrapper.ts';
import { WRAPPERS } from './wrappers.ts';

/** CDI's importer reads this much before it looks, and gives up where there is less. Bytes. */
const CDI_HEADER_LENGTH = 512;

const OUT_OF_REACH: ImageFacts = {
  format: 'unknown',
  wrappers: [],
  virtualSize: null,
  virtualSizeAtLeast: null,
  allocatedSize: null,
  defects: [],
};

/**
 * What one image file is. Asks for its first 64 KiB, then for whatever the format needs. Never throws on what
 * it reads: what is broken is a defect.
 */
export function readImage(options: ProbeOptions): Reading<ImageFacts> {
  return readLayer(options, []);
}

/** Reads a file of which `peeled` are the compressions around it. CDI peels each kind once; again, it is raw. */
function* readLayer(options: ProbeOptions, peeled: readonly string[]): Reading<ImageFacts> {
  const prefix = yield* readPrefix();
  if (prefix === null) return OUT_OF_REACH;
  if (prefix.length < CDI_HEADER_LENGTH)
    return { ...unusable('unknown', 'under-512-bytes', `${prefix.length} bytes`), wrappers: [] };
  // A file that ends in its prefix is as long as that, whatever was said of it.
  const known = prefix.length < PREFIX_LENGTH ? { ...options, storedSize: BigInt(prefix.length) } : options;
  const wrapper = WRAPPERS.find((row) => row.recognise(prefix));
  if (wrapper === undefined) return { ...(yield* readDisk(prefix, known)), wrappers: [] };
  if (options.peel === false || peeled.includes(wrapper.name)) {
    const where = options.peel === false ? 'a container disk' : wrapper.name;
    const defect = { code: 'unsupported-wrapper', detail: `${wrapper.name} inside ${where}` } as const;
    return { ...rawDisk(prefix, known, [defect]), wrappers: [] };
  }
  const content = readLayer({ storedSize: null, map: false }, [...peeled, wrapper.name]);
  return yield* unwrap(wrapper, prefix, known, content);
}

function* readPrefix(): Reading<ByteView | null> {
  try {
    return new ByteView(yield { offset: 0n, length: PREFIX_LENGTH });
  } catch (error) {
    if (error instanceof UnreachableBytesError) return null;
    throw error;
  }
}

function* readDisk(prefix: ByteView, options: ProbeOptions): Reading<DiskFacts> {
  const format = FORMATS.find((row) => row.recognise(prefix))!;
  try {
    return yield* format.read(prefix, options);
  } catch (error) {
    if (error instanceof OutOfBoundsError) return unusable(format.name, 'truncated', error.message);
    if (error instanceof UnreachableBytesError) return { ...OUT_OF_REACH, format: format.name };
    throw error;
  }
}
