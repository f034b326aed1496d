import t from 'tap';
import { GiB, MiB } from '../../../src/quantity/units.ts';
import type { ClaimRequest } from '../../../src/volume/claim.ts';
import { candidateClasses } from '../../../src/volume/classes.ts';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';
import { sizeReadings } from '../../../src/volume/size.ts';
import type { StorageFacts } from '../../../src/volume/volume.ts';
import { claim, cluster, profile, storageClass } from './objects.ts';

function readings(size: string, given: Partial<ClaimRequest>, storage: StorageFacts) {
  const asked = claim(size, given);
  return sizeReadings(asked, candidateClasses(asked, storage), storage);
}

const file = { mode: 'Filesystem', className: 'sc' } as const;
const block = { mode: 'Block', className: 'sc' } as const;
const withClass = (overhead: string, minimum: bigint | null = null, global = '0.06') =>
  cluster({
    classes: [storageClass('sc')],
    profiles: [profile('sc', { minimumSupportedPvcSize: minimum })],
    overhead: { global, byClass: overhead === '' ? {} : { sc: overhead } },
  });

t.test('the PVC that CDI makes, where all is known', (t) => {
  const rows: [string, string, Partial<ClaimRequest>, StorageFacts, bigint][] = [
    ['Filesystem, default overhead', '10Gi', file, withClass(''), 11381663335n],
    ['Filesystem, old formula', '10Gi', file, { ...withClass('0.055'), formula: 'divide' }, 11362347344n],
    [
      'Filesystem, old formula with the new number',
      '10Gi',
      file,
      { ...withClass('0.06'), formula: 'divide' },
      11422785362n,
    ],
    ['no overhead', '10Gi', file, withClass('0'), 10n * GiB],
    ['no overhead, odd bytes are aligned', '104857599', file, withClass('0'), 104857600n],
    ['per class, in doubles', '25Gi', file, withClass('0.1'), 29527900161n],
    ['the class wins over the global value', '1Gi', file, withClass('0', null, '0.9'), GiB],
    ['the global value', '50Gi', file, withClass('', null, '0.1'), 59055800321n],
    ['decimal units', '10G', file, withClass('0.06'), 10600285471n],
    ['Block is not inflated', '10Gi', block, withClass('0.9'), 10n * GiB],
    ['Block is not aligned', '104857599', block, withClass('0.9'), 104857599n],
    ['minimum above the inflated size', '1Gi', file, withClass('0.06', 4n * GiB), 4n * GiB],
    [
      'minimum between the size and the inflated size',
      '1Gi',
      file,
      withClass('0.06', GiB + MiB),
      1138166334n,
    ],
    ['minimum on Block', '1Gi', block, withClass('0.06', 4n * GiB), 4n * GiB],
    ['minimum under the size', '8Gi', block, withClass('0.06', 4n * GiB), 8n * GiB],
    ['spec.pvc is taken as it is', '1Gi', { ...file, api: 'pvc' }, withClass('0.06', 4n * GiB), GiB],
    ['spec.pvc, odd bytes', '104857599', { ...file, api: 'pvc' }, withClass('0.06'), 104857599n],
    ['no class on purpose: no overhead', '1Gi', { ...file, className: '' }, withClass('0.06'), GiB],
  ];
  for (const [name, size, given, storage, effective] of rows) {
    const found = readings(size, given, storage);
    t.same(
      found.map((reading) => reading.effective),
      [effective],
      name,
    );
  }
  t.end();
});

t.test('every reading that is left open, each once', (t) => {
  const text = (size: string, given: Partial<ClaimRequest>, storage: StorageFacts) =>
    readings(size, given, storage).map(
      ({ mode, formula, overhead, effective }) => `${mode} ${formula} ${overhead} ${effective}`,
    );
  t.same(text('1Gi', {}, DEFAULT_STORAGE), [
    'Filesystem divide 0.055 1136234735',
    'Block divide 0 1073741824',
    'Filesystem multiply 0.06 1138166334',
  ]);
  t.same(text('1Gi', file, DEFAULT_STORAGE), [
    'Filesystem divide 0.055 1136234735',
    'Filesystem multiply 0.06 1138166334',
  ]);
  t.same(text('1Gi', block, DEFAULT_STORAGE), ['Block divide 0 1073741824']);
  t.same(text('1Gi', { api: 'pvc' }, { ...DEFAULT_STORAGE, formula: 'multiply' }), [
    'Filesystem multiply 0.06 1073741824',
  ]);
  const published = { ...DEFAULT_STORAGE, overhead: { global: '0.1', byClass: {} } };
  t.same(
    text('1Gi', file, published),
    ['Filesystem divide 0.1 1193046472', 'Filesystem multiply 0.1 1181116007'],
    'a published number does not tell the formula',
  );
  const twoDefaults = cluster({
    classes: [storageClass('a', { isDefault: true }), storageClass('b', { isDefault: true })],
    overhead: { global: '0.06', byClass: { a: '0', b: '0.1' } },
  });
  t.same(text('1Gi', { mode: 'Filesystem' }, twoDefaults), [
    'Filesystem multiply 0 1073741824',
    'Filesystem multiply 0.1 1181116007',
  ]);
  t.end();
});

t.test('what is left for the disk', (t) => {
  const usable = (given: Partial<ClaimRequest>) => readings('10Gi', given, withClass('0.06'))[0]?.usable;
  t.equal(usable({ ...file, api: 'pvc' }), 9660n * MiB);
  t.equal(usable(file), 10n * GiB);
  t.equal(usable(block), 10n * GiB);
  t.end();
});
