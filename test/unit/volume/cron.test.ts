import t from 'tap';
import { readDataImportCron } from '../../../src/volume/cron.ts';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';
import { brief, cron, volumeOf } from './objects.ts';

const create = { operation: 'CREATE', storage: DEFAULT_STORAGE } as const;
const update = { operation: 'UPDATE', storage: DEFAULT_STORAGE } as const;
const FIELD = 'spec.template.spec.storage.resources.requests.storage';
const template = (size: string, source: unknown = { registry: { url: 'docker://quay.io/fedora' } }) => ({
  spec: { source, storage: { resources: { requests: { storage: size } } } },
});

t.test('the template is a base', (t) => {
  const [outcome] = readDataImportCron(cron(template('30Gi')), null, create);
  const volume = volumeOf(outcome);
  t.equal(volume.field, FIELD);
  t.equal(volume.base.isBase, true);
  t.match(volume.base.because, /DataImportCron/);
  t.equal(volume.source.kind, 'registry');
  t.end();
});

t.test('judged or skipped', (t) => {
  const big = cron(template('30Gi'));
  const rows: [string, ReturnType<typeof readDataImportCron>, string][] = [
    [
      'a clone',
      readDataImportCron(cron(template('1Gi', { pvc: { name: 'a' } })), null, create),
      'clone at spec.template.spec.source.pvc',
    ],
    ['no template', readDataImportCron(cron(undefined), null, create), 'no-source at spec.template.spec'],
    [
      'an update of something else',
      readDataImportCron(big, cron(template('30Gi')), update),
      `unchanged at ${FIELD}`,
    ],
    ['an update of the size', readDataImportCron(big, cron(template('10Gi')), update), `volume at ${FIELD}`],
    ['an update without the old object', readDataImportCron(big, null, update), `volume at ${FIELD}`],
    [
      'on its way out',
      readDataImportCron({ ...big, metadata: { deletionTimestamp: 'now' } }, big, update),
      'being-deleted at metadata.deletionTimestamp',
    ],
  ];
  for (const [name, outcomes, wanted] of rows) t.same(outcomes.map(brief), [wanted], name);
  t.end();
});
