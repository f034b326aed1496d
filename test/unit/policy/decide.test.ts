import t from 'tap';
import { type ConfiguredAction, type DecisionSettings, decide } from '../../../src/policy/decide.ts';
import type { Action, Finding } from '../../../src/policy/finding.ts';

const FINDING: Finding = {
  policy: 'volume-size',
  rule: 'oversized',
  field: 'spec.storage.resources.requests.storage',
  message: 'DataVolume images/fedora: too much',
  severity: 'high',
  hostAssisted: false,
  properties: {},
};
const REFERENCE = { apiVersion: '', kind: 'DataVolume', namespace: 'images', name: 'fedora', uid: '' };
const SETTINGS: DecisionSettings = { actions: {}, exemptions: [], annotationNamespaces: [] };
const NOW = 1_000;

const ROWS: readonly {
  name: string;
  configured: ConfiguredAction | undefined;
  hostAssisted: boolean;
  action: Action | null;
}[] = [
  { name: 'deny', configured: 'deny', hostAssisted: false, action: 'deny' },
  { name: 'warn', configured: 'warn', hostAssisted: true, action: 'warn' },
  { name: 'info', configured: 'info', hostAssisted: true, action: 'info' },
  { name: 'audit', configured: 'audit', hostAssisted: true, action: 'audit' },
  { name: 'off drops the finding', configured: 'off', hostAssisted: true, action: null },
  {
    name: 'a rule that no row names is warned about',
    configured: undefined,
    hostAssisted: true,
    action: 'warn',
  },
  {
    name: 'byCloneStrategy denies host-assisted clones',
    configured: 'byCloneStrategy',
    hostAssisted: true,
    action: 'deny',
  },
  {
    name: 'byCloneStrategy warns of others',
    configured: 'byCloneStrategy',
    hostAssisted: false,
    action: 'warn',
  },
];

for (const { name, configured, hostAssisted, action } of ROWS)
  t.test(name, (t) => {
    const finding = { ...FINDING, hostAssisted };
    const actions: Record<string, ConfiguredAction> =
      configured === undefined ? {} : { oversized: configured };
    const decided = decide([finding], {}, REFERENCE, { ...SETTINGS, actions }, NOW);
    t.same(decided, action === null ? [] : [{ finding, action, exemption: null }]);
    t.end();
  });

t.test('each finding by its own rule, in the order that they came', (t) => {
  const findings = [FINDING, { ...FINDING, rule: 'tight' }, { ...FINDING, rule: 'unusable-image' }];
  const actions = { oversized: 'deny', tight: 'off', 'unusable-image': 'audit' } as const;
  const decided = decide(findings, {}, REFERENCE, { ...SETTINGS, actions }, NOW);
  t.same(
    decided.map(({ finding, action }) => [finding.rule, action]),
    [
      ['oversized', 'deny'],
      ['unusable-image', 'audit'],
    ],
  );
  t.end();
});

t.test('an exempt finding keeps its action and carries the exemption', (t) => {
  const exemption = {
    namespaces: ['images'],
    names: null,
    labels: null,
    rules: ['oversized'],
    reason: 'agreed',
    expires: NOW + 1,
  };
  const settings: DecisionSettings = { ...SETTINGS, actions: { oversized: 'deny' }, exemptions: [exemption] };
  t.same(decide([FINDING], {}, REFERENCE, settings, NOW), [{ finding: FINDING, action: 'deny', exemption }]);
  t.same(
    decide([FINDING], {}, REFERENCE, settings, NOW + 1),
    [{ finding: FINDING, action: 'deny', exemption: null }],
    'expired means absent',
  );
  t.end();
});
