import t from 'tap';
import { answerMutation, answerValidation } from '../../../src/admission/answer.ts';
import type { Exemption } from '../../../src/policy/exemption.ts';
import type { Action } from '../../../src/policy/finding.ts';
import type { Outcome } from '../../../src/policy/outcome.ts';

const EXEMPTION: Exemption = {
  namespaces: null,
  names: ['fedora'],
  labels: null,
  rules: null,
  reason: 'it grows',
  expires: null,
};

function found(
  rule: string,
  action: Action,
  over: { exemption?: Exemption; properties?: Record<string, string> } = {},
): Outcome {
  return {
    kind: 'finding',
    action,
    exemption: over.exemption ?? null,
    finding: {
      policy: 'volume-size',
      rule,
      field: 'spec',
      message: `${rule} it is.`,
      severity: 'high',
      hostAssisted: false,
      properties: over.properties ?? {},
    },
  };
}

const SKIPPED: Outcome = {
  kind: 'skip',
  policy: 'memory-floor',
  rule: 'cdi',
  field: '',
  message: 'not judged',
  warning: 'look elsewhere',
  properties: {},
};

t.test('nothing found is allowed, and no more is said', (t) => {
  t.same(answerValidation([]), {
    allowed: true,
    denial: null,
    warnings: [],
    patch: [],
    auditAnnotations: {},
  });
  t.end();
});

t.test('all denials are told at once, beside the warnings', (t) => {
  const answer = answerValidation([
    found('too-small', 'deny'),
    found('unusable-image', 'warn'),
    found('host-assisted', 'info'),
    found('oversized', 'deny'),
    found('tight', 'audit'),
    SKIPPED,
  ]);
  t.equal(answer.allowed, false);
  t.same(answer.denial, { code: 403, message: 'too-small it is. oversized it is.' });
  t.same(answer.warnings, ['unusable-image it is.', 'host-assisted it is.', 'look elsewhere']);
  t.same(answer.auditAnnotations, {
    'too-small': 'deny',
    'unusable-image': 'warn',
    'host-assisted': 'info',
    oversized: 'deny',
    tight: 'audit',
  });
  t.end();
});

t.test('what is exempt is allowed without a word, and audited with the reason', (t) => {
  const properties = { requested: '30Gi', virtualSize: '1', suggested: '10Gi' };
  const answer = answerValidation([found('oversized', 'deny', { exemption: EXEMPTION, properties })]);
  t.equal(answer.allowed, true);
  t.equal(answer.denial, null);
  t.same(answer.warnings, []);
  t.same(answer.auditAnnotations, { oversized: 'exempt (it grows) requested=30Gi virtualSize=1' });
  t.end();
});

t.test('mutation never denies', (t) => {
  const patch = [{ op: 'add', path: '/spec', value: 1 }];
  const answer = answerMutation([found('cdi', 'warn'), found('multus', 'deny')], patch);
  t.equal(answer.allowed, true);
  t.equal(answer.denial, null);
  t.equal(answer.patch, patch);
  t.same(answer.warnings, ['cdi it is.']);
  t.end();
});
