import t from 'tap';
import type { Exemption } from '../../../src/policy/exemption.ts';
import type { Action, Finding } from '../../../src/policy/finding.ts';
import type { Outcome } from '../../../src/policy/outcome.ts';
import type { ResultKind } from '../../../src/report/model.ts';
import { resultsOf } from '../../../src/report/results.ts';

const RESOURCE = { apiVersion: 'v1', kind: 'Thing', namespace: 'ns', name: 'n', uid: '' };
const PLACE = { file: 'a.yaml', line: 3 };
const FINDING: Finding = {
  policy: 'volume-size',
  rule: 'oversized',
  field: 'spec.size',
  message: 'too much',
  severity: 'high',
  hostAssisted: false,
  properties: { requested: '30Gi' },
};
const EXEMPTION: Exemption = {
  namespaces: null,
  names: ['n'],
  labels: null,
  rules: null,
  reason: 'it grows',
  expires: null,
};

const found = (action: Action, rule = 'oversized', exemption: Exemption | null = null): Outcome => ({
  kind: 'finding',
  action,
  exemption,
  finding: { ...FINDING, rule },
});

const KINDS: readonly { name: string; outcome: Outcome; result: ResultKind }[] = [
  { name: 'denied', outcome: found('deny'), result: 'fail' },
  { name: 'warned about', outcome: found('warn'), result: 'warn' },
  { name: 'told', outcome: found('info'), result: 'warn' },
  { name: 'for the audit log', outcome: found('audit'), result: 'pass' },
  { name: 'not looked at', outcome: found('warn', 'unknown-image'), result: 'error' },
  { name: 'not looked at, and denied', outcome: found('deny', 'unknown-image'), result: 'fail' },
  { name: 'not looked at, for the audit log', outcome: found('audit', 'unknown-image'), result: 'error' },
  { name: 'denied, exempt', outcome: found('deny', 'oversized', EXEMPTION), result: 'skip' },
  { name: 'not looked at, exempt', outcome: found('warn', 'unknown-image', EXEMPTION), result: 'skip' },
];

for (const { name, outcome, result } of KINDS)
  t.test(`${name}: ${result}`, (t) => {
    const [line] = resultsOf([outcome], RESOURCE, PLACE);
    t.equal(line?.result, result);
    t.end();
  });

t.test('a finding, whole', (t) => {
  t.same(resultsOf([found('deny')], RESOURCE, PLACE), [
    {
      policy: 'volume-size',
      rule: 'oversized',
      result: 'fail',
      severity: 'high',
      resource: RESOURCE,
      field: 'spec.size',
      message: 'too much',
      properties: { requested: '30Gi' },
      file: 'a.yaml',
      line: 3,
    },
  ]);
  t.end();
});

t.test('an exempt finding tells why, and until when', (t) => {
  const properties = (expires: number | null) =>
    resultsOf([found('deny', 'oversized', { ...EXEMPTION, expires })], RESOURCE, PLACE)[0]?.properties;
  t.same(properties(null), { requested: '30Gi', exempted: 'it grows' });
  t.same(properties(Date.parse('2027-01-01')), {
    requested: '30Gi',
    exempted: 'it grows',
    expires: '2027-01-01T00:00:00.000Z',
  });
  t.end();
});

t.test('what passes or is skipped, and what it warns of', (t) => {
  const plain = (kind: 'pass' | 'skip', warning: string | null): Outcome => ({
    kind,
    policy: 'memory-floor',
    rule: 'cdi',
    field: 'f',
    message: 'm',
    warning,
    properties: { a: 'b' },
  });
  const told = (outcome: Outcome) => {
    const [told] = resultsOf([outcome], RESOURCE, PLACE);
    return [told?.result, told?.severity, told?.message];
  };
  t.same(told(plain('pass', null)), ['pass', 'info', 'm']);
  t.same(told(plain('skip', null)), ['skip', 'info', 'm']);
  t.same(told(plain('skip', 'look elsewhere')), ['warn', 'medium', 'look elsewhere']);
  t.end();
});

t.test('one line for each outcome, in order', (t) => {
  const lines = resultsOf([found('warn', 'b'), found('deny', 'a')], RESOURCE, { file: null, line: null });
  t.same(
    lines.map(({ rule, file, line }) => [rule, file, line]),
    [
      ['b', null, null],
      ['a', null, null],
    ],
  );
  t.end();
});
