import t from 'tap';
import type { ClassCandidate } from '../../../src/volume/classes.ts';
import { type CloneForecast, forecastClones } from '../../../src/volume/clone.ts';
import type { CloneStrategy, StorageFacts } from '../../../src/volume/volume.ts';
import { cluster, profile } from './objects.ts';

const inClass = (name: string, cloneStrategy: CloneStrategy | null): ClassCandidate => ({
  name,
  profile: profile(name, { cloneStrategy }),
  standing: 'exists',
});
const unknown: ClassCandidate = { name: null, profile: null, standing: 'unknown' };
const override = (cloneStrategyOverride: CloneStrategy) => cluster({ cloneStrategyOverride });

t.test('how a volume will be cloned', (t) => {
  const rows: [
    string,
    ClassCandidate[],
    Partial<Record<'isBlock' | 'preallocation', boolean>>,
    StorageFacts,
    CloneForecast,
  ][] = [
    [
      'the profile says snapshot',
      [inClass('a', 'snapshot')],
      {},
      cluster(),
      { cloneStrategy: 'snapshot', hostAssistedBecause: null },
    ],
    [
      'the profile says csi-clone, and Block changes nothing',
      [inClass('a', 'csi-clone')],
      { isBlock: true },
      cluster(),
      { cloneStrategy: 'csi-clone', hostAssistedBecause: null },
    ],
    [
      'the profile says copy',
      [inClass('a', 'copy')],
      {},
      cluster(),
      { cloneStrategy: 'copy', hostAssistedBecause: 'StorageProfile a has the clone strategy copy' },
    ],
    [
      'copy of Block',
      [inClass('a', 'copy')],
      { isBlock: true, preallocation: true },
      cluster(),
      {
        cloneStrategy: 'copy',
        hostAssistedBecause:
          'StorageProfile a has the clone strategy copy, which reads a Block volume from end to end',
      },
    ],
    [
      'copy of a preallocated file',
      [inClass('a', 'copy')],
      { preallocation: true },
      cluster(),
      {
        cloneStrategy: 'copy',
        hostAssistedBecause:
          'StorageProfile a has the clone strategy copy, which reads a preallocated volume from end to end',
      },
    ],
    [
      'several classes that agree',
      [inClass('a', 'copy'), inClass('b', 'copy')],
      {},
      cluster(),
      {
        cloneStrategy: 'copy',
        hostAssistedBecause: 'every StorageProfile that it may get has the clone strategy copy',
      },
    ],
    [
      'several classes that do not agree',
      [inClass('a', 'copy'), inClass('b', 'snapshot')],
      {},
      cluster(),
      { cloneStrategy: null, hostAssistedBecause: null },
    ],
    [
      'one of several is not known',
      [unknown, inClass('b', 'copy')],
      {},
      cluster(),
      { cloneStrategy: null, hostAssistedBecause: null },
    ],
    ['no profile', [unknown], {}, cluster(), { cloneStrategy: null, hostAssistedBecause: null }],
    [
      'a profile without a strategy',
      [inClass('a', null)],
      {},
      cluster(),
      { cloneStrategy: null, hostAssistedBecause: null },
    ],
    [
      'the override wins: copy',
      [inClass('a', 'snapshot')],
      {},
      override('copy'),
      { cloneStrategy: 'copy', hostAssistedBecause: 'the CDI resource sets cloneStrategyOverride to copy' },
    ],
    [
      'the override wins: snapshot',
      [inClass('a', 'copy')],
      {},
      override('snapshot'),
      { cloneStrategy: 'snapshot', hostAssistedBecause: null },
    ],
    [
      'the override, nothing else known',
      [unknown],
      { isBlock: true },
      override('copy'),
      {
        cloneStrategy: 'copy',
        hostAssistedBecause:
          'the CDI resource sets cloneStrategyOverride to copy, which reads a Block volume from end to end',
      },
    ],
  ];
  for (const [name, candidates, volume, storage, wanted] of rows)
    t.same(
      forecastClones({ candidates, isBlock: false, preallocation: false, ...volume }, storage),
      wanted,
      name,
    );
  t.end();
});
