import t from 'tap';
import { RULES, ruleOf } from '../../../src/report/rules.ts';

t.test('every code is there once', (t) => {
  const codes = RULES.map(({ code }) => code);
  t.equal(new Set(codes).size, codes.length);
  for (const code of ['too-small', 'tight', 'oversized', 'unusable-image', 'unknown-image', 'host-assisted'])
    t.ok(codes.includes(code), code);
  for (const code of ['multus', 'cdi', 'hyperconverged']) t.ok(codes.includes(code), code);
  t.end();
});

t.test('titles are clauses, helps are whole sentences', (t) => {
  for (const { code, title, help } of RULES) {
    t.match(title, /^[A-Z].*[^.]$/, code);
    t.match(help, /^[A-Z].*\.$/, code);
  }
  t.end();
});

t.test('a rule is found by its code', (t) => {
  for (const rule of RULES) t.equal(ruleOf({ rule: rule.code, policy: rule.policy }), rule);
  t.end();
});

t.test('a target of the configuration is described in general', (t) => {
  const rule = ruleOf({ rule: 'calico', policy: 'memory-floor' });
  t.match(rule, { code: 'calico', policy: 'memory-floor', usual: 'mutate' });
  t.match(rule.title, /calico/);
  t.equal(ruleOf({ rule: 'constructor', policy: 'volume-size' }).code, 'constructor');
  t.end();
});
