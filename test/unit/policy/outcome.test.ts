import t from 'tap';
import type { Exemption } from '../../../src/policy/exemption.ts';
import type { Action, Finding } from '../../../src/policy/finding.ts';
import { denials, type Outcome, warnings } from '../../../src/policy/outcome.ts';

const EXEMPTION: Exemption = {
  namespaces: null,
  names: null,
  labels: null,
  rules: null,
  reason: 'agreed',
  expires: null,
};

function found(message: string, action: Action, exemption: Exemption | null = null): Outcome {
  const finding: Finding = {
    policy: 'volume-size',
    rule: 'oversized',
    field: '',
    message,
    severity: 'high',
    hostAssisted: false,
    properties: {},
  };
  return { kind: 'finding', finding, action, exemption };
}

function plain(kind: 'pass' | 'skip', warning: string | null): Outcome {
  return { kind, policy: 'memory-floor', rule: 'cdi', field: '', message: 'm', warning, properties: {} };
}

const ROWS: readonly { name: string; outcome: Outcome; denies: boolean; warning: string | null }[] = [
  { name: 'deny', outcome: found('d', 'deny'), denies: true, warning: null },
  { name: 'deny, exempt', outcome: found('d', 'deny', EXEMPTION), denies: false, warning: null },
  { name: 'warn', outcome: found('w', 'warn'), denies: false, warning: 'w' },
  { name: 'warn, exempt', outcome: found('w', 'warn', EXEMPTION), denies: false, warning: null },
  { name: 'info', outcome: found('i', 'info'), denies: false, warning: 'i' },
  { name: 'info, exempt', outcome: found('i', 'info', EXEMPTION), denies: false, warning: null },
  { name: 'audit', outcome: found('a', 'audit'), denies: false, warning: null },
  { name: 'pass', outcome: plain('pass', null), denies: false, warning: null },
  { name: 'skip', outcome: plain('skip', null), denies: false, warning: null },
  { name: 'skip with a warning', outcome: plain('skip', 'told'), denies: false, warning: 'told' },
];

for (const { name, outcome, denies, warning } of ROWS)
  t.test(name, (t) => {
    t.same(denials([outcome]), denies ? [outcome] : []);
    t.same(warnings([outcome]), warning === null ? [] : [warning]);
    t.end();
  });

t.test('all of them, in order', (t) => {
  const outcomes = [found('1', 'deny'), found('2', 'warn'), plain('skip', '3'), found('4', 'deny')];
  t.same(
    denials(outcomes).map(({ finding }) => finding.message),
    ['1', '4'],
  );
  t.same(warnings(outcomes), ['2', '3']);
  t.end();
});
