import t from 'tap';
import type { ClaimRequest } from '../../../src/volume/claim.ts';
import type { ClassCandidate } from '../../../src/volume/classes.ts';
import { volumeModes } from '../../../src/volume/mode.ts';
import type { OverheadFormula } from '../../../src/volume/volume.ts';
import { claim, profile } from './objects.ts';

const withSets = (...sets: [string, 'Block' | 'Filesystem'][]): ClassCandidate => ({
  name: 'sc',
  standing: 'exists',
  profile: profile('sc', {
    claimPropertySets: sets.map(([access, volumeMode]) => ({ accessModes: [access], volumeMode })),
  }),
});
const blockFirst = withSets(['ReadWriteMany', 'Block'], ['ReadWriteOnce', 'Filesystem']);
const fileFirst = withSets(['ReadWriteOnce', 'Filesystem'], ['ReadWriteMany', 'Block']);
const noSets = withSets();
const missing: ClassCandidate = { name: 'gone', profile: null, standing: 'missing' };
const noProfile: ClassCandidate = { name: 'sc', profile: null, standing: 'exists' };
const unknown: ClassCandidate = { name: null, profile: null, standing: 'unknown' };

t.test('the volume mode of spec.storage and spec.pvc', (t) => {
  const rows: [string, Partial<ClaimRequest>, ClassCandidate, OverheadFormula, string][] = [
    ['neither given: the first set', {}, blockFirst, 'multiply', 'Block'],
    ['neither given: the first set, whichever', {}, fileFirst, 'multiply', 'Filesystem'],
    ['neither given, old CDI', {}, blockFirst, 'divide', 'Block'],
    ['neither given, no sets: it waits', {}, noSets, 'multiply', 'Filesystem Block'],
    ['mode given', { mode: 'Filesystem' }, blockFirst, 'multiply', 'Filesystem'],
    [
      'mode given that no set has',
      { mode: 'Block' },
      withSets(['ReadWriteOnce', 'Filesystem']),
      'multiply',
      'Block',
    ],
    ['mode given, nothing known', { mode: 'Block' }, unknown, 'multiply', 'Block'],
    [
      'access given: the first set that shares it',
      { accessModes: ['ReadWriteOnce'] },
      blockFirst,
      'multiply',
      'Filesystem',
    ],
    [
      'access given: of several, any that is shared',
      { accessModes: ['ReadOnlyMany', 'ReadWriteMany'] },
      fileFirst,
      'multiply',
      'Block',
    ],
    [
      'access given that no set shares',
      { accessModes: ['ReadOnlyMany'] },
      blockFirst,
      'multiply',
      'Filesystem',
    ],
    [
      'access given that no set shares, old CDI',
      { accessModes: ['ReadOnlyMany'] },
      blockFirst,
      'divide',
      'Filesystem Block',
    ],
    [
      'the same where the first set is a filesystem',
      { accessModes: ['ReadOnlyMany'] },
      fileFirst,
      'divide',
      'Filesystem',
    ],
    ['access given, no sets', { accessModes: ['ReadWriteOnce'] }, noSets, 'multiply', 'Filesystem'],
    ['both given', { mode: 'Block', accessModes: ['ReadWriteOnce'] }, blockFirst, 'multiply', 'Block'],
    ['missing class, access given', { accessModes: ['ReadWriteOnce'] }, missing, 'multiply', 'Filesystem'],
    [
      'missing class, both given',
      { mode: 'Block', accessModes: ['ReadWriteOnce'] },
      missing,
      'multiply',
      'Block',
    ],
    ['missing class, no access given: it waits', {}, missing, 'multiply', 'Filesystem Block'],
    ['class without profile', { accessModes: ['ReadWriteOnce'] }, noProfile, 'multiply', 'Filesystem Block'],
    ['nothing known', {}, unknown, 'multiply', 'Filesystem Block'],
    ['FromStorageProfile', { mode: 'from-profile' }, blockFirst, 'multiply', 'Filesystem Block'],
    ['spec.pvc, unset', { api: 'pvc' }, blockFirst, 'multiply', 'Filesystem'],
    ['spec.pvc, unset, nothing known', { api: 'pvc' }, unknown, 'multiply', 'Filesystem'],
    ['spec.pvc, Block', { api: 'pvc', mode: 'Block' }, fileFirst, 'multiply', 'Block'],
  ];
  for (const [name, given, candidate, formula, modes] of rows)
    t.equal(volumeModes(claim('1Gi', given), candidate, formula).join(' '), modes, name);
  t.end();
});
