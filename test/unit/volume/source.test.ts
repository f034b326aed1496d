import t from 'tap';
import { readSource } from '../../../src/volume/source.ts';
import type { ImportSource } from '../../../src/volume/volume.ts';

function read(source: unknown, more = {}): ImportSource {
  const reading = readSource({ source, ...more }, 'spec');
  if (reading.kind !== 'import') throw new Error(reading.reason);
  return reading.source;
}

const BARE: Omit<ImportSource, 'kind' | 'url'> = {
  unsupported: null,
  secretRef: null,
  certConfigMap: null,
  extraHeaders: [],
  secretExtraHeaders: [],
  architecture: null,
  insecureSkipVerify: false,
};

t.test('imports, with all of their fields', (t) => {
  const url = 'https://images.example/disk.qcow2';
  const rows: [string, unknown, ImportSource][] = [
    ['http', { http: { url } }, { ...BARE, kind: 'http', url }],
    ['s3', { s3: { url, secretRef: 'keys' } }, { ...BARE, kind: 's3', url, secretRef: 'keys' }],
    ['gcs', { gcs: { url: 'gs://b/o' } }, { ...BARE, kind: 'gcs', url: 'gs://b/o' }],
    [
      'http with everything',
      {
        http: {
          url,
          secretRef: 'login',
          certConfigMap: 'ca',
          extraHeaders: ['A: b', 1],
          secretExtraHeaders: ['token'],
          insecureSkipVerify: true,
        },
      },
      {
        ...BARE,
        kind: 'http',
        url,
        secretRef: 'login',
        certConfigMap: 'ca',
        extraHeaders: ['A: b'],
        secretExtraHeaders: ['token'],
        insecureSkipVerify: true,
      },
    ],
    [
      'registry',
      {
        registry: { url: 'docker://quay.io/x/y:1', pullMethod: 'node', platform: { architecture: 'arm64' } },
      },
      { ...BARE, kind: 'registry', url: 'docker://quay.io/x/y:1', architecture: 'arm64' },
    ],
    [
      'fields of other types',
      { http: { url, secretRef: 1, insecureSkipVerify: 'true', extraHeaders: 'A: b' } },
      { ...BARE, kind: 'http', url },
    ],
    ['another source that is null', { http: { url }, upload: null }, { ...BARE, kind: 'http', url }],
  ];
  for (const [name, source, wanted] of rows) t.same(read(source), wanted, name);
  t.end();
});

t.test('imports that cannot be looked at say why', (t) => {
  const rows: [string, unknown, RegExp | null][] = [
    ['docker', { registry: { url: 'docker://quay.io/x' } }, null],
    ['imageStream', { registry: { imageStream: 'rhel', pullMethod: 'node' } }, /imageStream/],
    ['imageStream and url', { registry: { imageStream: 'rhel', url: 'docker://x/y' } }, /imageStream/],
    ['oci-archive', { registry: { url: 'oci-archive://disk.tar' } }, /oci-archive/],
    ['registry without a url', { registry: {} }, /no URL/],
    ['http without a url', { http: {} }, /no URL/],
    ['http with an empty url', { http: { url: '' } }, /no URL/],
  ];
  for (const [name, source, reason] of rows) {
    const { unsupported } = read(source);
    if (reason === null) t.equal(unsupported, null, name);
    else t.match(unsupported, reason, name);
  }
  t.end();
});

t.test('what is no import is skipped', (t) => {
  const rows: [string, unknown, string][] = [
    ['pvc', { source: { pvc: { name: 'a', namespace: 'b' } } }, 'clone at spec.source.pvc'],
    ['snapshot', { source: { snapshot: { name: 'a', namespace: 'b' } } }, 'clone at spec.source.snapshot'],
    ['sourceRef', { sourceRef: { kind: 'DataSource', name: 'a' } }, 'clone at spec.sourceRef'],
    ['blank', { source: { blank: {} } }, 'blank at spec.source.blank'],
    ['upload', { source: { upload: {} } }, 'upload at spec.source.upload'],
    ['imageio', { source: { imageio: { url: 'https://x' } } }, 'imageio at spec.source.imageio'],
    ['vddk', { source: { vddk: { url: 'https://x' } } }, 'vddk at spec.source.vddk'],
    ['dataSourceRef', { storage: { dataSourceRef: { kind: 'X' } } }, 'external-population at spec'],
    ['dataSource', { pvc: { dataSource: { kind: 'VolumeSnapshot' } } }, 'external-population at spec'],
    ['nothing', {}, 'no-source at spec'],
    ['null', { source: null }, 'no-source at spec'],
    ['an empty source', { source: {} }, 'no-source at spec'],
    ['a source that is null', { source: { blank: null } }, 'no-source at spec'],
    ['two sources', { source: { blank: {}, upload: {} } }, 'no-source at spec.source'],
    ['an unknown source', { source: { torrent: {} } }, 'no-source at spec.source'],
    ['an inherited name', { source: { constructor: {} } }, 'no-source at spec.source'],
    ['__proto__', JSON.parse('{"source":{"__proto__":{"http":{"url":"x"}}}}'), 'no-source at spec.source'],
    ['garbage', 'spec', 'no-source at spec'],
  ];
  for (const [name, spec, wanted] of rows) {
    const reading = readSource(spec, 'spec');
    t.equal(reading.kind === 'skip' ? `${reading.code} at ${reading.field}` : 'import', wanted, name);
  }
  t.end();
});
