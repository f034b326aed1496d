import t from 'tap';
import { judgeRequirements } from '../../../src/floor/requirements.ts';
import { MiB } from '../../../src/quantity/units.ts';

const rule = {
  floor: 500n * MiB,
  stickyPercent: 25,
  requests: 'followWhenEqual',
  absent: { bytes: null, because: 'none is set' },
} as const;

const judge = (resources: unknown, stored: unknown = null) =>
  judgeRequirements(
    'row',
    { object: { at: { resources } }, path: ['at', 'resources'], field: 'at.resources', stored },
    rule,
  );

t.test('a check of what was found', async (t) => {
  t.same(judge({ limits: { memory: '50Mi' }, requests: { memory: '50Mi' } }), {
    ok: true,
    check: {
      target: 'row',
      field: 'at.resources.limits.memory',
      floor: 500n * MiB,
      limit: { bytes: 50n * MiB, text: '50Mi' },
      wanted: '500Mi',
      state: 'below',
      because: null,
      operations: [
        { op: 'replace', path: '/at/resources/limits/memory', value: '500Mi' },
        { op: 'replace', path: '/at/resources/requests/memory', value: '500Mi' },
      ],
      notes: [],
    },
  });
});

t.test('the stored requirements are read at the same place', async (t) => {
  const verdict = judge(
    { limits: { memory: '50Mi' } },
    { limits: { memory: '550Mi' }, requests: { memory: '1Mi' } },
  );
  t.match(verdict, { check: { state: 'kept', wanted: '550Mi' } });
});

t.test('reasons name the field', async (t) => {
  t.match(judge('x'), { ok: false, reason: 'at.resources or what it lies in is not an object' });
  t.match(judge({ limits: 'x' }), { ok: false, reason: 'at.resources or what it lies in is not an object' });
  t.match(judge({ limits: { memory: 'x' } }), {
    ok: false,
    reason: /^at\.resources\.limits\.memory cannot be read/,
  });
  t.match(judge({ limits: { memory: '1Mi' }, requests: { memory: 'x' } }), {
    ok: false,
    reason: /^at\.resources\.requests\.memory cannot be read/,
  });
});

t.test('what only a prototype has is not there', async (t) => {
  const inherited = Object.create({ memory: '50Mi' }) as object;
  t.match(judge({ limits: inherited }), { check: { limit: null, state: 'unlimited' } });
});
