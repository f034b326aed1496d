import { at, isObject, type JsonObject, listAt, objectAt, textAt } from '../object/object.ts';
import { skip } from './skip.ts';
import type { ImportSource, SkipCode, VolumeOutcome } from './volume.ts';

export type SourceReading =
  | { readonly kind: 'import'; readonly source: ImportSource }
  | Extract<VolumeOutcome, { kind: 'skip' }>;

const SKIPPED: Readonly<Record<string, SkipCode>> = {
  pvc: 'clone',
  snapshot: 'clone',
  blank: 'blank',
  upload: 'upload',
  imageio: 'imageio',
  vddk: 'vddk',
};

/** Reads where the data of a DataVolume, or of a VolumeImportSource, comes from; `path` is where the spec lies. */
export function readSource(spec: unknown, path: string): SourceReading {
  const source = objectAt(spec, 'source') ?? {};
  const kinds = Object.keys(source).filter((kind) => isObject(source[kind]));
  if (isObject(at(spec, 'sourceRef'))) return skip('clone', `${path}.sourceRef`);
  const [kind, ...others] = kinds;
  if (kind === undefined)
    return isExternal(spec) ? skip('external-population', path) : skip('no-source', path);
  if (others.length > 0)
    return skip('no-source', `${path}.source`, 'it names more than one source, which CDI refuses');
  const skipped = Object.hasOwn(SKIPPED, kind) ? SKIPPED[kind] : undefined;
  if (skipped !== undefined) return skip(skipped, `${path}.source.${kind}`);
  const fields = objectAt(source, kind) ?? {};
  switch (kind) {
    case 'http':
    case 's3':
    case 'gcs':
      return { kind: 'import', source: { ...readFields(fields, kind), unsupported: whyNoUrl(fields) } };
    case 'registry':
      return { kind: 'import', source: { ...readFields(fields, kind), unsupported: whyNoRegistry(fields) } };
    default:
      return skip('no-source', `${path}.source`, 'it names a kind of source that is not known here');
  }
}

function isExternal(spec: unknown): boolean {
  return ['storage', 'pvc'].some((api) =>
    ['dataSource', 'dataSourceRef'].some((reference) => isObject(at(spec, api, reference))),
  );
}

function readFields(fields: JsonObject, kind: ImportSource['kind']): Omit<ImportSource, 'unsupported'> {
  return {
    kind,
    url: textAt(fields, 'url') ?? '',
    secretRef: textAt(fields, 'secretRef') ?? null,
    certConfigMap: textAt(fields, 'certConfigMap') ?? null,
    extraHeaders: textsAt(fields, 'extraHeaders'),
    secretExtraHeaders: textsAt(fields, 'secretExtraHeaders'),
    architecture: textAt(fields, 'platform', 'architecture') ?? null,
    insecureSkipVerify: at(fields, 'insecureSkipVerify') === true,
  };
}

function whyNoUrl(fields: JsonObject): string | null {
  return textAt(fields, 'url') === undefined ? 'its source names no URL' : null;
}

function whyNoRegistry(fields: JsonObject): string | null {
  const url = textAt(fields, 'url');
  if (textAt(fields, 'imageStream') !== undefined) return 'an imageStream is known to OpenShift only';
  if (url?.startsWith('oci-archive:')) return 'an oci-archive lies on a node';
  return whyNoUrl(fields);
}

function textsAt(fields: JsonObject, name: string): readonly string[] {
  return listAt(fields, name).filter((text) => typeof text === 'string');
}
