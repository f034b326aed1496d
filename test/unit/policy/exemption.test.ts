import t from 'tap';
import type { JsonObject } from '../../../src/object/object.ts';
import { type Exemption, exemptionFor, isInForce } from '../../../src/policy/exemption.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');

const EVERYTHING: Exemption = {
  namespaces: null,
  names: null,
  labels: null,
  rules: null,
  reason: 'agreed',
  expires: null,
};

interface Asked {
  readonly namespace?: string;
  readonly name?: string;
  readonly labels?: unknown;
  readonly annotation?: unknown;
  readonly policy?: string;
  readonly rule?: string;
}

function ask(asked: Asked, exemptions: readonly Exemption[], annotationNamespaces: readonly string[] = []) {
  const object: JsonObject = {
    metadata: {
      labels: asked.labels,
      annotations: asked.annotation === undefined ? undefined : { 'plimsoll.dev/exempt': asked.annotation },
    },
  };
  const reference = {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    namespace: asked.namespace ?? 'images',
    name: asked.name ?? 'fedora',
    uid: '',
  };
  const { policy = 'volume-size', rule = 'oversized' } = asked;
  return exemptionFor({ object, reference, policy, rule }, exemptions, annotationNamespaces, NOW);
}

const SELECTORS: readonly { name: string; row: Partial<Exemption>; asked: Asked; covers: boolean }[] = [
  { name: 'no condition covers everything', row: {}, asked: {}, covers: true },
  { name: 'its namespace', row: { namespaces: ['a', 'images'] }, asked: {}, covers: true },
  { name: 'another namespace', row: { namespaces: ['images2'] }, asked: {}, covers: false },
  { name: 'an empty list of namespaces covers none', row: { namespaces: [] }, asked: {}, covers: false },
  { name: 'its name', row: { names: ['fedora'] }, asked: {}, covers: true },
  { name: 'another name', row: { names: ['Fedora'] }, asked: {}, covers: false },
  {
    name: 'namespace and name both have to hold',
    row: { namespaces: ['images'], names: ['debian'] },
    asked: {},
    covers: false,
  },
  { name: 'its rule', row: { rules: ['oversized'] }, asked: {}, covers: true },
  { name: 'another rule', row: { rules: ['too-small'] }, asked: {}, covers: false },
  { name: 'its policy', row: { rules: ['volume-size'] }, asked: {}, covers: true },
  { name: 'another policy', row: { rules: ['memory-floor'] }, asked: {}, covers: false },
  { name: 'a rule is no pattern', row: { rules: ['*'] }, asked: {}, covers: false },
  {
    name: 'a label of that value',
    row: { labels: { tier: 'gold' } },
    asked: { labels: { tier: 'gold' } },
    covers: true,
  },
  {
    name: 'a label of another value',
    row: { labels: { tier: 'gold' } },
    asked: { labels: { tier: 'golden' } },
    covers: false,
  },
  { name: '* asks that the label is there', row: { labels: { tier: '*' } }, asked: {}, covers: false },
  {
    name: '* takes a label with an empty value',
    row: { labels: { tier: '*' } },
    asked: { labels: { tier: '' } },
    covers: true,
  },
  {
    name: 'every label has to hold',
    row: { labels: { a: '1', b: '2' } },
    asked: { labels: { a: '1' } },
    covers: false,
  },
  {
    name: 'what all objects inherit is no label',
    row: { labels: { constructor: '*', toString: '*' } },
    asked: { labels: {} },
    covers: false,
  },
  {
    name: 'labels that are no object',
    row: { labels: { tier: '*' } },
    asked: { labels: ['tier'] },
    covers: false,
  },
  {
    name: 'a label that is a number',
    row: { labels: { tier: '*' } },
    asked: { labels: { tier: 1 } },
    covers: false,
  },
];

for (const { name, row, asked, covers } of SELECTORS)
  t.test(`selector: ${name}`, (t) => {
    const exemption = { ...EVERYTHING, ...row };
    t.equal(ask(asked, [exemption]), covers ? exemption : null);
    t.end();
  });

const PATTERNS: readonly { pattern: string; text: string; matches: boolean }[] = [
  { pattern: '*', text: '', matches: true },
  { pattern: '*', text: 'anything', matches: true },
  { pattern: '', text: '', matches: true },
  { pattern: '', text: 'a', matches: false },
  { pattern: 'os-*', text: 'os-', matches: true },
  { pattern: 'os-*', text: 'os-images', matches: true },
  { pattern: 'os-*', text: 'my-os-images', matches: false },
  { pattern: '*-images', text: 'os-images', matches: true },
  { pattern: '*-images', text: 'os-images-2', matches: false },
  { pattern: 'a*a', text: 'a', matches: false },
  { pattern: 'a*a', text: 'aa', matches: true },
  { pattern: 'a*b*c', text: 'axbxc', matches: true },
  { pattern: 'a*b*c', text: 'acb', matches: false },
  { pattern: 'a*bc*bc', text: 'abc', matches: false },
  { pattern: 'a*bc*bc', text: 'abcbc', matches: true },
  { pattern: '**', text: 'x', matches: true },
  { pattern: 'a.c', text: 'abc', matches: false },
  { pattern: '(a+)+$', text: 'aaaa', matches: false },
];

for (const { pattern, text, matches } of PATTERNS)
  t.test(`pattern ${JSON.stringify(pattern)} and ${JSON.stringify(text)}`, (t) => {
    t.equal(ask({ namespace: text }, [{ ...EVERYTHING, namespaces: [pattern] }]) !== null, matches);
    t.equal(ask({ name: text }, [{ ...EVERYTHING, names: [pattern] }]) !== null, matches);
    t.equal(ask({ labels: { l: text } }, [{ ...EVERYTHING, labels: { l: pattern } }]) !== null, matches);
    t.end();
  });

t.test('a pattern of many stars ends soon', (t) => {
  const pattern = '*a'.repeat(2000);
  t.equal(ask({ name: 'a'.repeat(1999) }, [{ ...EVERYTHING, names: [pattern] }]), null);
  t.end();
});

const EXPIRY: readonly { name: string; expires: number | null; inForce: boolean }[] = [
  { name: 'never', expires: null, inForce: true },
  { name: 'a millisecond from now', expires: NOW + 1, inForce: true },
  { name: 'now', expires: NOW, inForce: false },
  { name: 'a millisecond ago', expires: NOW - 1, inForce: false },
];

for (const { name, expires, inForce } of EXPIRY)
  t.test(`expires ${name}`, (t) => {
    const exemption = { ...EVERYTHING, expires };
    t.equal(isInForce(exemption, NOW), inForce);
    t.equal(ask({}, [exemption]), inForce ? exemption : null);
    t.end();
  });

t.test('an expired row does not hide one that is in force', (t) => {
  const inForce = { ...EVERYTHING, reason: 'the second' };
  t.equal(ask({}, [{ ...EVERYTHING, expires: NOW }, inForce]), inForce);
  t.end();
});

t.test('the first row that covers is the one', (t) => {
  const first = { ...EVERYTHING, reason: 'the first' };
  t.equal(ask({}, [first, { ...EVERYTHING, reason: 'the second' }]), first);
  t.end();
});

const ANNOTATIONS: readonly {
  name: string;
  annotation: unknown;
  allowed: readonly string[];
  reason: string | null;
}[] = [
  { name: 'where nowhere is allowed', annotation: 'oversized: it grows', allowed: [], reason: null },
  {
    name: 'where another namespace is allowed',
    annotation: 'oversized: it grows',
    allowed: ['image'],
    reason: null,
  },
  {
    name: 'where its namespace is allowed',
    annotation: 'oversized: it grows',
    allowed: ['images'],
    reason: 'it grows',
  },
  {
    name: 'where a pattern allows it',
    annotation: 'oversized: it grows',
    allowed: ['im*'],
    reason: 'it grows',
  },
  {
    name: 'of several rules',
    annotation: 'tight, oversized: it grows',
    allowed: ['*'],
    reason: 'it grows',
  },
  { name: 'of the policy', annotation: 'volume-size: it grows', allowed: ['*'], reason: 'it grows' },
  { name: 'of another rule', annotation: 'too-small: it grows', allowed: ['*'], reason: null },
  { name: 'without a reason', annotation: 'oversized:', allowed: ['*'], reason: null },
  { name: 'with a blank reason', annotation: 'oversized:   \n', allowed: ['*'], reason: null },
  { name: 'without a rule', annotation: ': it grows', allowed: ['*'], reason: null },
  { name: 'that only says true', annotation: 'true', allowed: ['*'], reason: null },
  { name: 'that is no text', annotation: { oversized: true }, allowed: ['*'], reason: null },
  {
    name: 'of several lines',
    annotation: 'oversized: it\n\tgrows  on',
    allowed: ['*'],
    reason: 'it grows on',
  },
  {
    name: 'with a reason of 201 characters',
    annotation: `oversized: ${'r'.repeat(201)}`,
    allowed: ['*'],
    reason: 'r'.repeat(201),
  },
  {
    name: 'with a reason of 202 characters',
    annotation: `oversized: ${'r'.repeat(202)}`,
    allowed: ['*'],
    reason: null,
  },
];

for (const { name, annotation, allowed, reason } of ANNOTATIONS)
  t.test(`an annotation ${name}`, (t) => {
    t.equal(ask({ annotation }, [], allowed)?.reason ?? null, reason);
    t.end();
  });

t.test('the configuration comes before the annotation', (t) => {
  t.equal(ask({ annotation: 'oversized: own' }, [EVERYTHING], ['*']), EVERYTHING);
  t.equal(ask({ annotation: 'oversized: own' }, [{ ...EVERYTHING, expires: NOW }], ['*'])?.reason, 'own');
  t.end();
});
