import t from 'tap';
import { checkStorageWorkloads, judgeStorageWorkloads } from '../../../src/floor/storage-workloads.ts';
import { defaultSettings } from './default-settings.ts';
import { atDensity, creating } from './subject.ts';

const workloads = { target: 'row', path: ['spec', 'some', 'where'], notes: ['a note'] };
const judge = (where: unknown) =>
  judgeStorageWorkloads(
    workloads,
    creating({ spec: { some: { where } } }),
    defaultSettings.cdi,
    atDensity(90),
  );

t.test('a check carries the notes and the action', async (t) => {
  t.match(judge({ limits: { memory: '1Gi' } }), {
    kind: 'check',
    target: 'row',
    action: 'mutate',
    checks: [
      {
        target: 'row',
        field: 'spec.some.where.limits.memory',
        state: 'below',
        wanted: '2Gi',
        notes: ['a note'],
      },
    ],
  });
});

t.test('what cannot be read is skipped', async (t) => {
  t.match(judge('x'), { kind: 'skip', target: 'row', reason: /^spec\.some\.where or what/, warning: null });
});

t.test('the connection limit of a daemon has no bearing', async (t) => {
  const settings = { ...defaultSettings.cdi, burst: 'connectionLimit' as const };
  const verdict = checkStorageWorkloads(
    workloads,
    creating({}),
    settings,
    atDensity(110, { connectionLimit: 5 }),
  );
  t.match(verdict, { check: { wanted: '2560Mi' } });
});
