import t from 'tap';
import type { ClaimRequest } from '../../../src/volume/claim.ts';
import { type ClassCandidate, candidateClasses, overheadsOf } from '../../../src/volume/classes.ts';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';
import type { StorageFacts } from '../../../src/volume/volume.ts';
import { claim, cluster, profile, storageClass } from './objects.ts';

const fast = storageClass('fast', { isDefault: true });
const virt = storageClass('virt', { isVirtDefault: true });
const plain = storageClass('plain');
const both = cluster({ classes: [plain, fast, virt] });

t.test('which StorageClasses a claim may get', (t) => {
  const rows: [string, Partial<ClaimRequest>, StorageFacts, string[]][] = [
    ['named', { className: 'plain' }, both, ['plain exists']],
    ['named, not there', { className: 'gone' }, both, ['gone missing']],
    ['named, known by its profile', { className: 'x' }, cluster({ profiles: [profile('x')] }), ['x exists']],
    ['named, no cluster', { className: 'plain' }, DEFAULT_STORAGE, ['plain unknown']],
    [
      'named, manifests prove no absence',
      { className: 'gone' },
      { ...both, origin: 'manifests' },
      ['gone unknown'],
    ],
    ['none, on purpose', { className: '' }, both, [' missing']],
    ['the default for virtualization wins', {}, both, ['virt exists']],
    ['spec.pvc may get either', { api: 'pvc' }, both, ['fast exists', 'virt exists']],
    ['the default', {}, cluster({ classes: [plain, fast] }), ['fast exists']],
    ['no default yet', {}, cluster({ classes: [plain] }), ['null missing', 'plain exists']],
    [
      'no default, and no need to wait for one',
      { accessModes: ['ReadWriteOnce'] },
      cluster({ classes: [plain] }),
      ['null missing'],
    ],
    [
      'the same in spec.pvc, where Kubernetes waits',
      { api: 'pvc', accessModes: ['ReadWriteOnce'] },
      cluster({ classes: [plain] }),
      ['null missing', 'plain exists'],
    ],
    ['nothing known', {}, DEFAULT_STORAGE, ['null unknown']],
    [
      'classes not known, but profiles and overheads',
      {},
      {
        ...DEFAULT_STORAGE,
        profiles: [profile('a')],
        overhead: { global: null, byClass: { a: '0', b: '0' } },
      },
      ['null unknown', 'a exists', 'b unknown'],
    ],
    [
      'two defaults of unknown age',
      {},
      cluster({ classes: [fast, storageClass('second', { isDefault: true })] }),
      ['fast exists', 'second exists'],
    ],
  ];
  for (const [name, given, storage, wanted] of rows) {
    const found = candidateClasses(claim('1Gi', given), storage);
    t.same(
      found.map((candidate) => `${candidate.name} ${candidate.standing}`),
      wanted,
      name,
    );
  }
  t.end();
});

t.test('the overhead of a class', (t) => {
  const published = {
    ...both,
    overhead: { global: '0.07', byClass: { plain: '0.1', fast: '0.2', virt: '0.3' } },
  };
  const onlyGlobal = { ...published, overhead: { global: '0.07', byClass: {} } };
  const rows: [string, string | null, ClassCandidate['standing'], StorageFacts, string[]][] = [
    ['its own', 'plain', 'exists', published, ['0.1']],
    ['its own, although nothing else is known of it', 'plain', 'unknown', published, ['0.1']],
    ['none on purpose', '', 'missing', published, ['0']],
    ['there, but not published: global', 'new', 'exists', published, ['0.07']],
    ['missing: the default class', 'gone', 'missing', published, ['0.2']],
    ['missing, and no default: global', 'gone', 'missing', { ...published, classes: [plain] }, ['0.07']],
    ['missing, and a default that publishes none: global', 'gone', 'missing', onlyGlobal, ['0.07']],
    ['it may be there or not', 'what', 'unknown', published, ['0.07', '0.2']],
    ['nothing known of it', null, 'unknown', { ...published, classes: null }, ['0.07']],
    ['nothing published', 'plain', 'exists', DEFAULT_STORAGE, ['0.06']],
    ['the name of an inherited property', 'constructor', 'exists', DEFAULT_STORAGE, ['0.06']],
  ];
  for (const [name, className, standing, storage, wanted] of rows)
    t.same(overheadsOf({ name: className, profile: null, standing }, storage, 'multiply'), wanted, name);
  t.same(
    overheadsOf({ name: 'plain', profile: null, standing: 'exists' }, DEFAULT_STORAGE, 'divide'),
    ['0.055'],
    'nothing published, old formula',
  );
  t.end();
});
