import t from 'tap';
import { DEFAULT_CONFIGURATION } from '../../../src/config/parse.ts';
import { settingsOf } from '../../../src/config/settings.ts';
import { judgeVolumes } from '../../../src/evaluate/volumes.ts';
import type { World } from '../../../src/evaluate/world.ts';
import type { ImageFacts } from '../../../src/image/image.ts';
import type { JsonObject } from '../../../src/object/object.ts';
import type { ImageLook } from '../../../src/policy/image-look.ts';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';

/** The image of the story: 10 GiB once decompressed, 1.1 GB as stored. */
const STORY: Size = [10737418240n, 1_100_000_000n];

type Size = readonly [virtualSize: bigint, storedSize: bigint];

function image([virtualSize, storedSize]: Size, over: Partial<ImageFacts> = {}): ImageLook {
  const facts = {
    format: 'qcow2',
    wrappers: [],
    virtualSize,
    virtualSizeAtLeast: null,
    allocatedSize: null,
    defects: [],
    ...over,
  };
  return { kind: 'image', facts, storedSize };
}

const iso = image([14548992000n, 14548992000n], { format: 'raw' });
const BACKED: Partial<ImageFacts> = {
  defects: [{ code: 'backing-file', detail: 'its name is 12 bytes long' }],
};
const SILENT: ImageLook = { kind: 'unknown', code: 'timed-out', detail: 'its server did not answer in time' };
const NEVER: ImageLook = { kind: 'unknown', code: 'bad-url', detail: 'nobody should have looked' };

const http = { http: { url: 'https://images.example/disk' } };
const request = (storage: string, more: object = {}) => ({ ...more, resources: { requests: { storage } } });
const dataVolume = (spec: object, metadata: object = {}): JsonObject => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { namespace: 'images', name: 'base', ...metadata },
  spec,
});
const storage = (size: string, more: object = {}) =>
  dataVolume({ source: http, storage: request(size, more) });
const pvc = (size: string, more: object = {}) =>
  dataVolume({ source: http, pvc: request(size, { accessModes: ['ReadWriteOnce'], ...more }) });
const OF_MACHINE = {
  ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'vm' }],
};
const machine = (size: string): JsonObject => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { namespace: 'desktops', name: 'vm' },
  spec: {
    dataVolumeTemplates: [{ metadata: { name: 'root' }, spec: { source: http, storage: request(size) } }],
  },
});
const cron = (size: string): JsonObject => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataImportCron',
  metadata: { namespace: 'images', name: 'fedora' },
  spec: {
    schedule: '0 0 * * *',
    managedDataSource: 'fedora',
    template: {
      spec: { source: { registry: { url: 'docker://quay.io/x/fedora' } }, storage: request(size) },
    },
  },
});

const rows: [name: string, object: JsonObject, look: ImageLook, verdict: string][] = [
  ['the story at 30Gi', storage('30Gi'), image(STORY), 'deny oversized'],
  ['the story at 20Gi', storage('20Gi'), image(STORY), 'pass'],
  ['the story at 20Gi and a byte', storage('21474836481'), image(STORY), 'deny oversized'],
  ['the story at 10Gi', storage('10Gi'), image(STORY), 'pass'],
  ['the story at 5Gi', storage('5Gi'), image(STORY), 'deny too-small'],
  ['a better compressed one at 30Gi', storage('30Gi'), image([STORY[0], 645988352n]), 'deny oversized'],
  ['an uncompressed one at 30Gi', storage('30Gi'), image([STORY[0], 2065760256n]), 'deny oversized'],
  ['65 times its file, at 37Gi', storage('37Gi'), image([39728447488n, 613416960n]), 'pass'],
  ['65 times its file, at 40Gi', storage('40Gi'), image([39728447488n, 613416960n]), 'pass'],
  ['cirros at 5Gi', storage('5Gi'), image([117440512n, 16300544n]), 'pass'],
  ['4 GiB in spec.pvc of 4Gi', pvc('4Gi'), image([4294967296n, 1n << 30n]), 'warn tight'],
  ['5 GiB at 1Gi', storage('1Gi'), image([5368709120n, 1n << 30n]), 'deny too-small'],
  [
    'Block of a size that may be rounded up',
    storage('12884901888', { volumeMode: 'Block' }),
    image([12886302720n, 1n << 30n]),
    'warn tight',
  ],
  ['an ISO in spec.pvc', pvc('13Gi', { volumeMode: 'Filesystem' }), iso, 'deny too-small'],
  ['an ISO in spec.storage', storage('13Gi', { volumeMode: 'Filesystem' }), iso, 'warn tight'],
  ['an ISO on Block', storage('13Gi', { volumeMode: 'Block' }), iso, 'warn tight'],
  ['an upload', dataVolume({ source: { upload: {} }, storage: request('1Ti') }), NEVER, 'skip upload'],
  ['an empty disk', dataVolume({ source: { blank: {} }, storage: request('512Mi') }), NEVER, 'skip blank'],
  [
    'a clone',
    dataVolume({ source: { pvc: { namespace: 'a', name: 'b' } }, storage: request('1Ti') }),
    NEVER,
    'skip clone',
  ],
  [
    'a machine’s own import',
    dataVolume({ source: http, storage: request('100Gi') }, OF_MACHINE),
    image([2361393152n, 600_000_000n]),
    'pass',
  ],
  ['a machine’s template', machine('100Gi'), image([2361393152n, 600_000_000n]), 'pass'],
  ['a machine’s template that is too small', machine('1Gi'), image([2361393152n, 6n]), 'deny too-small'],
  ['a cron at 10Gi', cron('10Gi'), image(STORY), 'pass'],
  ['a cron at 30Gi', cron('30Gi'), image(STORY), 'deny oversized'],
  ['10G for 10 GiB', storage('10G', { volumeMode: 'Filesystem' }), image(STORY), 'deny too-small'],
  ['an overlay', storage('10Gi'), image(STORY, BACKED), 'warn unusable-image'],
  ['a silent server', storage('10Gi'), SILENT, 'warn unknown-image'],
];

async function judge(object: JsonObject, look: ImageLook) {
  const world: World = {
    settings: settingsOf(DEFAULT_CONFIGURATION),
    storage: DEFAULT_STORAGE,
    density: { pods: 30, origin: 'minimum' },
    connectionLimit: null,
    look: async () => look,
    now: 0,
  };
  const review = { operation: 'CREATE', object, oldObject: null, namespace: 'images' } as const;
  return judgeVolumes(review, world, new AbortController().signal);
}

t.test('what users meet', async (t) => {
  for (const [name, object, look, verdict] of rows) {
    const outcomes = await judge(object, look);
    const told = outcomes.map((outcome) => {
      if (outcome.kind === 'finding') return `${outcome.action} ${outcome.finding.rule}`;
      return outcome.kind === 'skip' ? `skip ${outcome.properties['reason']}` : 'pass';
    });
    t.same(told, [verdict], name);
  }
});

t.test('10G where 10Gi was meant is named', async (t) => {
  const [outcome] = await judge(storage('10G', { volumeMode: 'Filesystem' }), image(STORY));
  t.match(outcome?.kind === 'finding' && outcome.finding.message, /10G is 10000000000 bytes, less than 10Gi/);
});

t.test('the path in the object says which template', async (t) => {
  const [outcome] = await judge(machine('1Gi'), image([2361393152n, 6n]));
  t.equal(
    outcome?.kind === 'finding' && outcome.finding.field,
    'spec.dataVolumeTemplates[0].spec.storage.resources.requests.storage',
  );
});
