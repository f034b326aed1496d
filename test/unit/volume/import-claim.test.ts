import t from 'tap';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';
import { namesImportSource, readImportClaim } from '../../../src/volume/import-claim.ts';
import { SKIP_REASONS } from '../../../src/volume/skip.ts';
import { brief, effectiveSizes, HTTP, volumeOf } from './objects.ts';

const create = { operation: 'CREATE', storage: { ...DEFAULT_STORAGE, formula: 'multiply' } } as const;
const reference = { apiGroup: 'cdi.kubevirt.io', kind: 'VolumeImportSource', name: 'fedora' };
const pvc = (metadata = {}, spec = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'demo', name: 'disk', ...metadata },
  spec: { dataSourceRef: reference, resources: { requests: { storage: '10Gi' } }, ...spec },
});
const importSource = (spec: unknown) => ({ kind: 'VolumeImportSource', spec });
const http = importSource({ source: HTTP, preallocation: true });

t.test('which PVCs an image fills', (t) => {
  const rows: [string, unknown, string | null][] = [
    ['by dataSourceRef', { dataSourceRef: reference }, 'fedora'],
    ['by dataSource', { dataSource: reference }, 'fedora'],
    ['another group', { dataSourceRef: { ...reference, apiGroup: 'snapshot.storage.k8s.io' } }, null],
    ['another kind', { dataSourceRef: { ...reference, kind: 'VolumeCloneSource' } }, null],
    ['no name', { dataSourceRef: { ...reference, name: '' } }, null],
    ['none', {}, null],
  ];
  for (const [name, spec, wanted] of rows) t.equal(namesImportSource({ spec }), wanted, name);
  t.end();
});

t.test('judged or skipped', (t) => {
  const rows: [string, unknown, unknown, string][] = [
    ['an import', pvc(), http, 'volume at spec.resources.requests.storage'],
    ['its source is not known', pvc(), undefined, 'no-source at spec.dataSourceRef'],
    ['a source without spec', pvc(), {}, 'no-source at spec.dataSourceRef'],
    ['blank', pvc(), importSource({ source: { blank: {} } }), 'blank at spec.dataSourceRef'],
    [
      'archive',
      pvc(),
      importSource({ source: HTTP, contentType: 'archive' }),
      'archive at spec.dataSourceRef',
    ],
    [
      'checkpoints',
      pvc(),
      importSource({ source: HTTP, checkpoints: [{}] }),
      'checkpoints at spec.dataSourceRef',
    ],
    ['no size', pvc({}, { resources: {} }), http, 'no-size at spec.resources.requests.storage'],
    [
      'populated',
      pvc({ annotations: { 'cdi.kubevirt.io/storage.populatedFor': 'x' } }),
      http,
      'populated-for at metadata.annotations',
    ],
    [
      'of a DataVolume',
      pvc({ ownerReferences: [{ apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume' }] }),
      http,
      'owned-by-datavolume at metadata.ownerReferences',
    ],
    [
      'on its way out',
      pvc({ deletionTimestamp: 'now' }),
      http,
      'being-deleted at metadata.deletionTimestamp',
    ],
  ];
  for (const [name, claim, source, wanted] of rows)
    t.equal(brief(readImportClaim(claim, source, create)), wanted, name);
  t.match(readImportClaim(pvc(), undefined, create), { reason: /not known/ });
  t.match(readImportClaim(pvc(), {}, create), { reason: SKIP_REASONS['no-source'] });
  t.equal(
    brief(readImportClaim(pvc(), http, { ...create, operation: 'UPDATE' })),
    'update at spec',
    'an update',
  );
  t.end();
});

t.test('the size is taken as it is, unless CDI applies the StorageProfile', (t) => {
  const volume = volumeOf(readImportClaim(pvc(), http, create));
  t.equal(volume.api, 'pvc');
  t.equal(volume.preallocation, true);
  t.equal(volume.base.isBase, true);
  t.same(effectiveSizes(volume), ['Filesystem 10737418240']);
  const labels = { 'cdi.kubevirt.io/applyStorageProfile': 'true' };
  const rendered = volumeOf(readImportClaim(pvc({ labels }, { volumeMode: 'Filesystem' }), http, create));
  t.equal(rendered.api, 'storage');
  t.same(effectiveSizes(rendered), ['Filesystem 11381663335']);
  t.end();
});
