import t from 'tap';
import { unlessUnchanged } from '../../../src/volume/change.ts';
import { readDataVolume } from '../../../src/volume/datavolume.ts';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';
import { skip } from '../../../src/volume/skip.ts';
import { brief, dataVolume, imports } from './objects.ts';

const read = (size: string, more = {}) =>
  readDataVolume(dataVolume(imports(size, more)), { operation: 'CREATE', storage: DEFAULT_STORAGE });

t.test('only what asks for another volume is read anew', (t) => {
  const field = 'spec.storage.resources.requests.storage';
  t.equal(brief(unlessUnchanged(read('10Gi'), read('10Gi'))), `unchanged at ${field}`);
  t.equal(brief(unlessUnchanged(read('10Gi'), read('10240Mi'))), `unchanged at ${field}`);
  t.equal(brief(unlessUnchanged(read('10Gi'), read('10G'))), `volume at ${field}`);
  t.equal(
    brief(unlessUnchanged(read('10Gi'), read('10Gi', { storageClassName: 'a' }))),
    `volume at ${field}`,
  );
  t.equal(brief(unlessUnchanged(read('10Gi'), skip('blank', 'spec'))), `volume at ${field}`);
  t.equal(
    brief(unlessUnchanged(skip('blank', 'spec'), skip('blank', 'spec'))),
    'blank at spec',
    'a skip keeps its own reason',
  );
  t.end();
});
