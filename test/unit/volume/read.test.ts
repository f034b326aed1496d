import fc from 'fast-check';
import t from 'tap';
import type { JsonObject } from '../../../src/object/object.ts';
import { DEFAULT_STORAGE, storageFromObjects } from '../../../src/volume/facts.ts';
import { readVolumes } from '../../../src/volume/read.ts';
import { brief, cron, dataVolume, HTTP, imports, machine } from './objects.ts';

const pvc = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'demo', name: 'disk' },
  spec: {
    dataSourceRef: { apiGroup: 'cdi.kubevirt.io', kind: 'VolumeImportSource', name: 'fedora' },
    resources: { requests: { storage: '10Gi' } },
  },
};

t.test('by group and kind', (t) => {
  const rows: [string, JsonObject, string[] | null][] = [
    ['DataVolume', dataVolume(imports('1Gi')), ['volume at spec.storage.resources.requests.storage']],
    [
      'VirtualMachine',
      machine({ spec: imports('1Gi') }),
      ['volume at spec.dataVolumeTemplates[0].spec.storage.resources.requests.storage'],
    ],
    ['VirtualMachine without templates', machine(), []],
    [
      'DataImportCron',
      cron({ spec: imports('1Gi') }),
      ['volume at spec.template.spec.storage.resources.requests.storage'],
    ],
    [
      'an old version',
      { ...dataVolume(imports('1Gi')), apiVersion: 'cdi.kubevirt.io/v1alpha1' },
      ['volume at spec.storage.resources.requests.storage'],
    ],
    ['DataVolume of another group', { ...dataVolume(imports('1Gi')), apiVersion: 'example.com/v1' }, null],
    ['DataVolume of the core group', { ...dataVolume(imports('1Gi')), apiVersion: 'v1' }, null],
    ['another kind', { apiVersion: 'v1', kind: 'Pod' }, null],
    ['a PVC, not asked for', pvc, null],
    ['nothing', {}, null],
  ];
  for (const [name, object, wanted] of rows)
    t.same(readVolumes(object, null, 'CREATE', DEFAULT_STORAGE)?.map(brief) ?? null, wanted, name);
  t.same(readVolumes(dataVolume(imports('1Gi')), null, 'UPDATE', DEFAULT_STORAGE)?.map(brief), [
    'update at spec',
  ]);
  t.end();
});

t.test('PVCs, where they are asked for', (t) => {
  const find = (namespace: string, name: string) =>
    namespace === 'demo' && name === 'fedora' ? { spec: { source: HTTP } } : undefined;
  const read = (object: JsonObject) =>
    readVolumes(object, null, 'CREATE', DEFAULT_STORAGE, find)?.map(brief) ?? null;
  t.same(read(pvc), ['volume at spec.resources.requests.storage']);
  t.same(read({ ...pvc, metadata: { namespace: 'other' } }), ['no-source at spec.dataSourceRef']);
  t.equal(read({ ...pvc, spec: { resources: {} } }), null, 'a PVC that no image fills');
  t.equal(read({ ...pvc, apiVersion: 'example.com/v1' }), null, 'of another group');
  t.end();
});

const KINDS = [
  ['cdi.kubevirt.io/v1beta1', 'DataVolume'],
  ['cdi.kubevirt.io/v1beta1', 'DataImportCron'],
  ['kubevirt.io/v1', 'VirtualMachine'],
  ['v1', 'PersistentVolumeClaim'],
  ['cdi.kubevirt.io/v1beta1', 'CDIConfig'],
  ['cdi.kubevirt.io/v1beta1', 'CDI'],
  ['cdi.kubevirt.io/v1beta1', 'StorageProfile'],
  ['storage.k8s.io/v1', 'StorageClass'],
] as const;

/** Objects whose keys are those that are read, over values of any kind. */
const garbage = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom<unknown>(null, true, -1, '', '10Gi', 'Block', 'archive', 'copy', '0.06', 'true', [], {}),
    fc.anything(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.constantFrom(
      ...[
        'spec',
        'status',
        'metadata',
        'storage',
        'pvc',
        'source',
        'sourceRef',
        'http',
        'registry',
        'url',
        'labels',
      ],
      ...[
        'resources',
        'requests',
        'template',
        'dataVolumeTemplates',
        'annotations',
        'ownerReferences',
        'apiVersion',
      ],
      ...[
        'kind',
        'name',
        'volumeMode',
        'accessModes',
        'storageClassName',
        'dataSourceRef',
        'claimPropertySets',
      ],
      ...[
        'filesystemOverhead',
        'storageClass',
        'global',
        'config',
        'cloneStrategy',
        '__proto__',
        'constructor',
      ],
    ),
    tie('value'),
    { maxKeys: 6 },
  ),
}));

const objects = fc
  .tuple(fc.constantFrom(...KINDS), garbage.object as fc.Arbitrary<JsonObject>)
  .map(([[apiVersion, kind], rest]) => ({ ...rest, apiVersion, kind }));

t.test('property: garbage is read without a throw, and each volume has a reading', (t) => {
  const property = fc.property(
    objects,
    objects,
    fc.constantFrom('CREATE' as const, 'UPDATE' as const),
    fc.array(objects, { maxLength: 4 }),
    (object, oldObject, operation, others) => {
      const storage = storageFromObjects(others, 'cluster');
      const outcomes = readVolumes(object, oldObject, operation, storage, () => oldObject) ?? [];
      return outcomes.every((outcome) => outcome.kind === 'skip' || outcome.volume.readings.length > 0);
    },
  );
  t.equal(fc.defaultReportMessage(fc.check(property, { numRuns: 500 })), undefined);
  t.end();
});
