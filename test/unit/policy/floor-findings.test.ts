import { readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import type { Density } from '../../../src/density/density.ts';
import type { FloorAction, FloorCheck, FloorOutcome } from '../../../src/floor/floor.ts';
import { floorFindings, floorProperties } from '../../../src/policy/floor-findings.ts';
import { MiB } from '../../../src/quantity/units.ts';

const DENSITY: Density = { pods: 90, origin: 'fixed' };
const SUBJECT = 'DaemonSet kube-system/kube-multus-ds';

const BELOW: FloorCheck = {
  target: 'multus',
  field: 'spec.template.spec.containers[kube-multus].resources.limits.memory',
  floor: 500n * MiB,
  limit: { bytes: 50n * MiB, text: '50Mi' },
  wanted: '500Mi',
  state: 'below',
  because: null,
  operations: [{ op: 'replace', path: '/spec', value: '500Mi' }],
  notes: [],
};
const KEPT: FloorCheck = {
  ...BELOW,
  state: 'kept',
  wanted: '550Mi',
  because: 'the stored limit is at most 25 % over the floor',
};

function checked(action: FloorAction, ...checks: FloorCheck[]): FloorOutcome {
  return { kind: 'check', target: 'multus', action, checks };
}

const CASES: readonly { name: string; outcome: FloorOutcome; severities: readonly string[] }[] = [
  { name: 'below, to be mutated', outcome: checked('mutate', BELOW), severities: ['high'] },
  { name: 'below, to be denied', outcome: checked('deny', BELOW), severities: ['high'] },
  {
    name: 'absent, which means 600M',
    outcome: checked('mutate', { ...BELOW, limit: null, because: 'absent means 600M' }),
    severities: ['high'],
  },
  {
    name: 'below, without a cure',
    outcome: checked('warn', { ...BELOW, wanted: null, operations: [] }),
    severities: ['high'],
  },
  {
    name: 'two containers',
    outcome: checked('mutate', BELOW, { ...BELOW, field: 'spec.template.spec.containers[two]' }),
    severities: ['high', 'high'],
  },
  { name: 'kept, where it is mutated', outcome: checked('mutate', KEPT), severities: ['info'] },
  { name: 'nothing is kept where it is not mutated', outcome: checked('deny', KEPT), severities: ['high'] },
  {
    name: 'kept, and nothing to change',
    outcome: checked('mutate', { ...KEPT, operations: [] }),
    severities: [],
  },
  {
    name: 'enough',
    outcome: checked('deny', { ...BELOW, state: 'ok', operations: [] }),
    severities: [],
  },
  {
    name: 'unlimited',
    outcome: checked('deny', { ...BELOW, state: 'unlimited', operations: [] }),
    severities: [],
  },
  {
    name: 'skipped',
    outcome: { kind: 'skip', target: 'multus', reason: 'thin Multus', warning: 'told elsewhere' },
    severities: [],
  },
];

for (const { name, outcome, severities } of CASES)
  t.test(name, (t) => {
    const findings = floorFindings(outcome, DENSITY, SUBJECT);
    t.same(
      findings.map(({ severity }) => severity),
      severities,
    );
    for (const { policy, rule, message, hostAssisted } of findings) {
      t.equal(policy, 'memory-floor');
      t.equal(rule, 'multus');
      t.equal(hostAssisted, false);
      t.ok(message.startsWith(`${SUBJECT}: `));
      t.ok(message.length < 500 && !/\p{Cc}/u.test(message));
    }
    t.end();
  });

t.test('figures of a check', (t) => {
  t.same(floorProperties({ ...BELOW, notes: ['one', 'two'] }, DENSITY), {
    limit: '50Mi',
    limitBytes: '52428800',
    floor: '500Mi',
    floorBytes: '524288000',
    density: '90',
    densityOrigin: 'fixed',
    wanted: '500Mi',
    notes: 'one; two',
  });
  t.same(
    Object.keys(floorProperties({ ...BELOW, limit: null, wanted: null }, DENSITY)),
    ['floor', 'floorBytes', 'density', 'densityOrigin'],
    'without what is not there',
  );
  t.end();
});

const GOLDEN = new URL('../../golden/messages/memory-floor.txt', import.meta.url);

/** With GOLDEN=write in the environment the file is made anew, to be read before it is committed. */
t.test('the messages, word for word', (t) => {
  const text = CASES.flatMap(({ name, outcome }) => {
    const messages = floorFindings(outcome, DENSITY, SUBJECT).map(({ message }) => `  ${message}`);
    return [`# ${name}`, ...(messages.length === 0 ? ['  (nothing)'] : messages), ''];
  }).join('\n');
  if (process.env['GOLDEN'] === 'write') writeFileSync(GOLDEN, text);
  t.equal(text, readFileSync(GOLDEN, 'utf8'));
  t.end();
});
