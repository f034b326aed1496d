import t from 'tap';
import { GiB } from '../../../src/quantity/units.ts';
import { assembleVolume } from '../../../src/volume/assemble.ts';
import { baseOf } from '../../../src/volume/base.ts';
import type { ClaimRequest } from '../../../src/volume/claim.ts';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';
import { readSource } from '../../../src/volume/source.ts';
import type { StorageFacts } from '../../../src/volume/volume.ts';
import { claim, cluster, HTTP, profile, storageClass, volumeOf } from './objects.ts';

function assembled(given: Partial<ClaimRequest>, storage: StorageFacts) {
  const reading = readSource({ source: HTTP }, 'spec');
  if (reading.kind !== 'import') throw new Error(reading.reason);
  const asked = {
    claim: claim('10Gi', given),
    source: reading.source,
    base: baseOf({}),
    preallocation: false,
  };
  return volumeOf(assembleVolume(asked, storage));
}

const lvm = profile('lvm', {
  claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Block' }],
  cloneStrategy: 'copy',
});
const onLvm = cluster({ classes: [storageClass('lvm', { isDefault: true })], profiles: [lvm] });

t.test('the class, its mode and its clones come together', (t) => {
  t.match(assembled({}, onLvm), {
    storageClass: 'lvm',
    cloneStrategy: 'copy',
    hostAssistedBecause: /StorageProfile lvm .* Block/,
    readings: [{ mode: 'Block', effective: 10n * GiB }],
  });
  t.match(
    assembled({ mode: 'Filesystem' }, onLvm),
    { hostAssistedBecause: /copy$/, readings: [{ mode: 'Filesystem' }] },
    'a file system is copied without its holes',
  );
  t.match(
    assembled({}, { ...DEFAULT_STORAGE, cloneStrategyOverride: 'copy' }),
    { hostAssistedBecause: /copy$/, readings: [{ mode: 'Filesystem' }, { mode: 'Block' }] },
    'a mode that is open is not said to be Block',
  );
  t.end();
});

t.test('the class is null where it is not known', (t) => {
  t.equal(assembled({}, DEFAULT_STORAGE).storageClass, null);
  t.equal(assembled({ className: '' }, onLvm).storageClass, null, 'or none on purpose');
  t.equal(assembled({ className: 'any' }, DEFAULT_STORAGE).storageClass, 'any');
  t.end();
});
