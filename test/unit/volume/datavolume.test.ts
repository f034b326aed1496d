import t from 'tap';
import type { JsonObject } from '../../../src/object/object.ts';
import { readDataVolume } from '../../../src/volume/datavolume.ts';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';
import {
  brief,
  certainlyTooSmall,
  cluster,
  dataVolume,
  effectiveSizes,
  HTTP,
  imports,
  volumeOf,
} from './objects.ts';

const create = { operation: 'CREATE', storage: DEFAULT_STORAGE } as const;
const FIELD = 'spec.storage.resources.requests.storage';

t.test('judged or skipped', (t) => {
  const sized = { storage: { resources: { requests: { storage: '512Mi' } } } };
  const annotated = (name: string) => ({ annotations: { [`cdi.kubevirt.io/${name}`]: 'true' } });
  const rows: [string, JsonObject, string][] = [
    ['an import', dataVolume(imports('10Gi')), `volume at ${FIELD}`],
    ['spec.pvc', dataVolume(imports('4Gi', {}, 'pvc')), 'volume at spec.pvc.resources.requests.storage'],
    ['upload', dataVolume({ ...sized, source: { upload: {} } }), 'upload at spec.source.upload'],
    ['blank of 512Mi', dataVolume({ ...sized, source: { blank: {} } }), 'blank at spec.source.blank'],
    [
      'a clone without a size',
      dataVolume({ storage: {}, source: { pvc: { name: 'a' } } }),
      'clone at spec.source.pvc',
    ],
    [
      'a clone of a snapshot',
      dataVolume({ ...sized, source: { snapshot: { name: 'a' } } }),
      'clone at spec.source.snapshot',
    ],
    ['a clone by sourceRef', dataVolume({ ...sized, sourceRef: { name: 'a' } }), 'clone at spec.sourceRef'],
    ['archive', dataVolume({ ...imports('10Gi'), contentType: 'archive' }), 'archive at spec.contentType'],
    ['checkpoints', dataVolume({ ...imports('10Gi'), checkpoints: [{}] }), 'checkpoints at spec.checkpoints'],
    [
      'a restore',
      dataVolume(imports('10Gi'), annotated('storage.prePopulated')),
      'pre-populated at metadata.annotations',
    ],
    [
      'an adopted claim',
      dataVolume(imports('10Gi'), annotated('allowClaimAdoption')),
      'claim-adoption at metadata.annotations',
    ],
    [
      'on its way out',
      dataVolume(imports('10Gi'), { deletionTimestamp: 'now' }),
      'being-deleted at metadata.deletionTimestamp',
    ],
    ['no size', dataVolume({ source: HTTP, storage: {} }), `no-size at ${FIELD}`],
    ['no spec', { kind: 'DataVolume' }, 'no-source at spec'],
  ];
  for (const [name, object, wanted] of rows) t.equal(brief(readDataVolume(object, create)), wanted, name);
  t.equal(
    brief(readDataVolume(dataVolume(imports('10Gi')), { ...create, operation: 'UPDATE' })),
    'update at spec',
    'an update',
  );
  t.end();
});

t.test('whether a disk of V can go on what CDI makes of the request', (t) => {
  const file = { volumeMode: 'Filesystem' };
  const rows: [string, JsonObject, bigint, boolean][] = [
    ['qcow2 of 10Gi at 30Gi', imports('30Gi'), 10737418240n, false],
    ['qcow2 of 10Gi at 10Gi', imports('10Gi'), 10737418240n, false],
    ['qcow2 of 10Gi at 5Gi, mode open', imports('5Gi', file), 10737418240n, true],
    ['10Gi at 10G: inflated, and still under V', imports('10G', file), 10737418240n, true],
    ['4Gi in spec.pvc of 4Gi', imports('4Gi', {}, 'pvc'), 4294967296n, false],
    ['5Gi in 1Gi', imports('1Gi', file), 5368709120n, true],
    ['37Gi in 37Gi', imports('37Gi', file), 39728447488n, false],
    ['an ISO in spec.pvc of 13Gi', imports('13Gi', {}, 'pvc'), 14548992000n, true],
    ['an ISO in spec.storage of 13Gi', imports('13Gi', file), 14548992000n, false],
    ['an ISO on Block of 13Gi', imports('13Gi', { volumeMode: 'Block' }), 14548992000n, false],
    ['one byte more than Block', imports('12884901888', { volumeMode: 'Block' }), 12886302720n, false],
  ];
  for (const [name, spec, virtualSize, wanted] of rows)
    t.equal(certainlyTooSmall(volumeOf(readDataVolume(dataVolume(spec), create)), virtualSize), wanted, name);
  t.end();
});

t.test('every field of a volume', (t) => {
  const storage = cluster({ overhead: { global: '0.06', byClass: {} } });
  const spec = {
    ...imports('10Gi', { storageClassName: 'fast', accessModes: ['ReadWriteOnce'] }),
    preallocation: true,
  };
  const volume = volumeOf(readDataVolume(dataVolume(spec), { operation: 'CREATE', storage }));
  t.match(volume, {
    api: 'storage',
    requested: { text: '10Gi' },
    field: FIELD,
    source: { kind: 'http', url: 'https://images.example/disk.qcow2' },
    storageClass: 'fast',
    cloneStrategy: null,
    hostAssistedBecause: null,
    preallocation: true,
    base: { isBase: true },
  });
  t.same(effectiveSizes(volume), ['Filesystem 11381663335']);
  t.end();
});
