import t from 'tap';
import { DEFAULT_STORAGE, storageFromObjects } from '../../../src/volume/facts.ts';

const object = (apiVersion: string, kind: string, name: string, more = {}) => ({
  apiVersion,
  kind,
  metadata: { name },
  ...more,
});
const CDI = 'cdi.kubevirt.io/v1beta1';
const config = (filesystemOverhead: unknown, name = 'config') =>
  object(CDI, 'CDIConfig', name, { status: { filesystemOverhead } });
const cdi = (spec: unknown) => object(CDI, 'CDI', 'cdi', { spec });
const storageClass = (name: string, annotation?: string, creationTimestamp?: string) =>
  object('storage.k8s.io/v1', 'StorageClass', name, {
    metadata: {
      name,
      ...(annotation ? { annotations: { [`storageclass.${annotation}`]: 'true' } } : {}),
      ...(creationTimestamp ? { creationTimestamp } : {}),
    },
  });
const DEFAULT = 'kubernetes.io/is-default-class';
const VIRT = 'kubevirt.io/is-default-virt-class';

t.test('nothing to read', (t) => {
  t.same(storageFromObjects([], 'manifests'), DEFAULT_STORAGE, 'then the defaults hold');
  t.same(storageFromObjects([null, 7, { kind: 'CDI' }], 'manifests'), DEFAULT_STORAGE, 'other objects');
  t.same(storageFromObjects([], 'manifests', 'divide'), { ...DEFAULT_STORAGE, formula: 'divide' });
  t.same(
    storageFromObjects([], 'cluster'),
    { ...DEFAULT_STORAGE, origin: 'cluster', classes: [], profiles: [] },
    'a cluster without any has none',
  );
  t.end();
});

t.test('overheads', (t) => {
  const published = config({ global: '0.06', storageClass: { fast: '0', slow: '0.1' } });
  const rows: [string, unknown[], unknown][] = [
    ['published', [published], { global: '0.06', byClass: { fast: '0', slow: '0.1' } }],
    [
      'published wins over configured',
      [cdi({ config: { filesystemOverhead: { global: '0.9' } } }), published],
      { global: '0.06', byClass: { fast: '0', slow: '0.1' } },
    ],
    [
      'configured',
      [cdi({ config: { filesystemOverhead: { global: '0.9', storageClass: { a: '1' } } } })],
      { global: '0.9', byClass: { a: '1' } },
    ],
    [
      'configured, where nothing is published yet',
      [config(undefined), cdi({ config: { filesystemOverhead: { global: '0.9' } } })],
      { global: '0.9', byClass: {} },
    ],
    ['another CDIConfig', [config({ global: '0.9' }, 'other')], { global: null, byClass: {} }],
    [
      'values that CDI refuses',
      [config({ global: 0.06, storageClass: { a: '6%', b: '0.5' } })],
      { global: null, byClass: { b: '0.5' } },
    ],
    ['garbage', [config('0.06')], { global: null, byClass: {} }],
  ];
  for (const [name, objects, wanted] of rows)
    t.same(storageFromObjects(objects, 'cluster').overhead, wanted, name);
  const hostile = storageFromObjects([config(JSON.parse('{"storageClass":{"__proto__":"0.5"}}'))], 'cluster');
  t.same(Object.keys(hostile.overhead.byClass), ['__proto__'], 'a class may have any name');
  t.end();
});

t.test('a published number does not tell the formula', (t) => {
  for (const global of ['0.06', '0.055'])
    t.equal(storageFromObjects([config({ global })], 'cluster').formula, null, global);
  t.equal(
    storageFromObjects([config({ global: '0.055' })], 'cluster', 'multiply').formula,
    'multiply',
    'told',
  );
  t.end();
});

t.test('StorageClasses and the defaults among them', (t) => {
  const rows: [string, unknown[], string[]][] = [
    ['plain', [storageClass('a')], ['a']],
    ['default', [storageClass('a', DEFAULT), storageClass('b')], ['a default', 'b']],
    ['for virtualization', [storageClass('a', VIRT), storageClass('b', DEFAULT)], ['a virt', 'b default']],
    [
      'of two defaults the newest',
      [
        storageClass('a', DEFAULT, '2025-01-01T00:00:00Z'),
        storageClass('b', DEFAULT, '2026-01-01T00:00:00Z'),
      ],
      ['a', 'b default'],
    ],
    [
      'of two of the same age the first by name',
      [
        storageClass('b', DEFAULT, '2026-01-01T00:00:00Z'),
        storageClass('a', DEFAULT, '2026-01-01T00:00:00Z'),
      ],
      ['b', 'a default'],
    ],
    [
      'of two of unknown age either',
      [storageClass('a', DEFAULT), storageClass('b', DEFAULT, '2026-01-01T00:00:00Z')],
      ['a default', 'b default'],
    ],
    ['of another group', [object('v1', 'StorageClass', 'a')], []],
    ['a name that no class can have', [storageClass('a\nb'), storageClass('A'), storageClass('')], []],
  ];
  for (const [name, objects, wanted] of rows)
    t.same(
      storageFromObjects(objects, 'cluster').classes?.map(
        ({ name, isDefault, isVirtDefault }) =>
          `${name}${isDefault ? ' default' : ''}${isVirtDefault ? ' virt' : ''}`,
      ),
      wanted,
      name,
    );
  t.end();
});

t.test('StorageProfiles', (t) => {
  const profile = object(CDI, 'StorageProfile', 'fast', {
    metadata: { name: 'fast', annotations: { 'cdi.kubevirt.io/minimumSupportedPvcSize': '4Gi' } },
    spec: {
      cloneStrategy: 'copy',
      claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' }],
    },
    status: {
      cloneStrategy: 'snapshot',
      claimPropertySets: [{ accessModes: ['ReadWriteMany', 1], volumeMode: 'Block' }, 'garbage'],
    },
  });
  const read = (...objects: unknown[]) => storageFromObjects(objects, 'manifests').profiles;
  t.same(read(profile), [
    {
      name: 'fast',
      claimPropertySets: [
        { accessModes: ['ReadWriteMany'], volumeMode: 'Block' },
        { accessModes: [], volumeMode: 'Filesystem' },
      ],
      cloneStrategy: 'snapshot',
      minimumSupportedPvcSize: 4294967296n,
    },
  ]);
  t.same(
    read({ ...profile, status: {}, metadata: { name: 'fast' } }),
    [
      {
        name: 'fast',
        claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' }],
        cloneStrategy: 'copy',
        minimumSupportedPvcSize: null,
      },
    ],
    'a manifest has only what its author chose',
  );
  t.equal(read(config({})), null, 'manifests without any leave them unknown');
  t.end();
});

t.test('the override of the clone strategy', (t) => {
  const read = (spec: unknown) => storageFromObjects([cdi(spec)], 'manifests').cloneStrategyOverride;
  t.equal(read({ cloneStrategyOverride: 'copy' }), 'copy');
  t.equal(read({ cloneStrategyOverride: 'csi-clone' }), 'csi-clone');
  t.equal(read({ cloneStrategyOverride: 'magic' }), null);
  t.equal(read({}), null);
  t.end();
});
