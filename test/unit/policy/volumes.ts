import type { ImageFacts } from '../../../src/image/image.ts';
import { bytesOf, parseQuantity } from '../../../src/quantity/parse.ts';
import type { Quantity } from '../../../src/quantity/quantity.ts';
import { requiredSpace, usableSpace } from '../../../src/volume/overhead.ts';
import type {
  OverheadFormula,
  SizeReading,
  Volume,
  VolumeApi,
  VolumeMode,
} from '../../../src/volume/volume.ts';

export function quantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.reason}`);
  return parsed.quantity;
}

/** One way that CDI may read a request. */
export interface Kind {
  readonly mode: VolumeMode;
  readonly formula: OverheadFormula;
  readonly overhead: number;
}

export const BLOCK: Kind = { mode: 'Block', formula: 'multiply', overhead: 0 };
export const MULTIPLY: Kind = { mode: 'Filesystem', formula: 'multiply', overhead: 0.06 };
export const DIVIDE: Kind = { mode: 'Filesystem', formula: 'divide', overhead: 0.055 };

function readingOf({ mode, formula, overhead }: Kind, api: VolumeApi, requested: bigint): SizeReading {
  const isFilesystem = mode === 'Filesystem';
  const effective =
    api === 'storage' && isFilesystem ? requiredSpace(formula, overhead, requested) : requested;
  const usable = isFilesystem ? usableSpace(formula, overhead, effective) : effective;
  return { mode, formula, overhead, effective, usable };
}

/** A base volume that asks for `size`, of both filesystem formulas where nothing else is said. */
export function volumeOf(
  size: string,
  over: Partial<Volume> & { readonly kinds?: readonly Kind[] } = {},
): Volume {
  const { kinds = [DIVIDE, MULTIPLY], ...rest } = over;
  const api = over.api ?? 'storage';
  const requested = quantity(size);
  return {
    api,
    requested,
    field: `spec.${api}.resources.requests.storage`,
    source: {
      kind: 'http',
      url: 'http://images.example/fedora.qcow2',
      unsupported: null,
      secretRef: null,
      certConfigMap: null,
      extraHeaders: [],
      secretExtraHeaders: [],
      architecture: null,
      insecureSkipVerify: false,
    },
    readings: kinds.map((kind) => readingOf(kind, api, bytesOf(requested))),
    storageClass: null,
    cloneStrategy: null,
    hostAssistedBecause: null,
    preallocation: false,
    base: { isBase: true, because: 'it imports an image' },
    ...rest,
  };
}

export function imageOf(virtualSize: bigint | null, over: Partial<ImageFacts> = {}): ImageFacts {
  return {
    format: 'qcow2',
    wrappers: [],
    virtualSize,
    virtualSizeAtLeast: null,
    allocatedSize: null,
    defects: [],
    ...over,
  };
}
