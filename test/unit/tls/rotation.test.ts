import { X509Certificate } from 'node:crypto';
import t from 'tap';
import { issueAuthority, issueServing, type KeyPair } from '../../../src/tls/authority.ts';
import { bundleOf, type Keeping, nextStep, type RotationFacts } from '../../../src/tls/rotation.ts';
import { takeStep } from '../../../src/tls/take-step.ts';
import { keyPool } from './key-pool.ts';

const DAY = 86_400_000;
const T0 = Date.parse('2030-01-01T00:00:00Z');
const SETTLE = 3_600_000;
const names = ['plimsoll', 'plimsoll.ns.svc'];
const lives = { authorityDays: 300, leafDays: 90 };
const context = { now: new Date(T0), names, lives, makeKeys: keyPool(8) };

const take = async (kept: Keeping | null, kind: 'create' | 'make-next' | 'switch' | 'renew-leaf', at = T0) =>
  (await takeStep(kept, { kind, because: '', old: null }, { ...context, now: new Date(at) }))!;
const kept = await take(null, 'create');
const stranger = await take(null, 'create');
const withNext = await take(kept, 'make-next');
const switched = await take(withNext, 'switch');
const pemOf = ({ certificatePem }: KeyPair) => certificatePem;
/** A leaf that lives as long as its authority. */
const longLeaf = await issueServing(kept.authority, { ...context, validForDays: 300 });
const renewedLate = await take(kept, 'renew-leaf', T0 + 150 * DAY);
const foreignAuthority = await issueAuthority({ ...context, commonName: 'other', validForDays: 1 });

interface Row {
  readonly name: string;
  readonly kept: Keeping | null;
  /** Milliseconds after T0. */
  readonly after?: number;
  readonly names?: readonly string[];
  /** Exactly what is kept where absent. */
  readonly published?: readonly string[];
  readonly step: object;
}

const published = bundleOf(kept);
const twoThirds = { leaf: 60 * DAY, authority: 200 * DAY };
/** At a time when the authority is due and its leaf is not. */
const withFreshLeaf = (keeping: Keeping): Keeping => ({ ...keeping, leaf: renewedLate.leaf });

const rows: readonly Row[] = [
  { name: 'all is well', kept, step: { kind: 'rest' } },
  { name: 'no webhook is there yet', kept, published: [], step: { kind: 'rest' } },

  { name: 'nothing is kept', kept: null, published: [], step: { kind: 'create', old: null } },
  {
    name: 'nothing is kept, and nothing is trusted yet',
    kept: null,
    published: ['', 'no PEM'],
    step: { kind: 'create', old: null },
  },
  {
    name: 'nothing is kept, but what was made before is still trusted, and may be served',
    kept: null,
    published: [published, bundleOf(withNext)],
    step: { kind: 'create', old: bundleOf(withNext).trim() },
  },
  {
    name: 'what was trusted has expired',
    kept: null,
    published: [published],
    after: 300 * DAY + 1,
    step: { kind: 'create', old: null },
  },
  {
    name: 'what was trusted expires just now',
    kept: null,
    published: [published],
    after: 300 * DAY,
    step: { kind: 'create', old: published.trim() },
  },
  {
    name: 'what was trusted is a leaf, or cannot be read',
    kept: null,
    published: [
      pemOf(kept.leaf),
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      pemOf(kept.authority).replace(/\nMII./, '\nAAAA'),
    ],
    step: { kind: 'create', old: null },
  },
  {
    name: 'the leaf is no PEM',
    kept: { ...kept, leaf: { ...kept.leaf, certificatePem: 'x' } },
    step: { kind: 'create', old: published.trim() },
  },
  {
    name: 'the key is of another leaf',
    kept: { ...kept, leaf: { ...kept.leaf, privateKeyPem: stranger.leaf.privateKeyPem } },
    step: { kind: 'create', because: /private key/ },
  },
  {
    name: 'the leaf is of another authority',
    kept: { ...kept, leaf: stranger.leaf },
    step: { kind: 'create', because: /not issued by/ },
  },
  {
    name: 'the key is of another authority',
    kept: { ...kept, authority: { ...kept.authority, privateKeyPem: stranger.authority.privateKeyPem } },
    step: { kind: 'create', because: /authority/ },
  },
  {
    name: 'the authority is a leaf',
    kept: { ...kept, authority: kept.leaf },
    step: { kind: 'create', because: /authority/ },
  },
  { name: 'the authority expires just now', kept, after: 300 * DAY, step: { kind: 'renew-leaf' } },
  { name: 'the authority has expired', kept, after: 300 * DAY + 1, step: { kind: 'create', old: null } },

  {
    name: 'just before two thirds of the leaf’s life',
    kept,
    after: twoThirds.leaf - 1,
    step: { kind: 'rest' },
  },
  { name: 'two thirds of the leaf’s life', kept, after: twoThirds.leaf, step: { kind: 'renew-leaf' } },
  {
    name: 'the leaf has expired',
    kept,
    after: 90 * DAY + 1,
    step: { kind: 'renew-leaf', because: /expired/ },
  },
  {
    name: 'the clock was turned back by less than certificates are backdated',
    kept,
    after: -3_600_000,
    step: { kind: 'rest' },
  },
  {
    name: 'we are called by another name',
    kept,
    names: [...names, 'another.ns.svc'],
    step: { kind: 'renew-leaf', because: /another\.ns\.svc/ },
  },
  { name: 'we are called by one name less', kept, names: names.slice(1), step: { kind: 'rest' } },
  {
    name: 'a leaf that a new one would not outlive is not renewed',
    kept: { ...kept, leaf: longLeaf },
    after: twoThirds.authority - 1,
    step: { kind: 'rest' },
  },
  {
    name: 'who may not publish can still renew',
    kept,
    after: twoThirds.leaf,
    published: [''],
    step: { kind: 'renew-leaf' },
  },

  {
    name: 'a caBundle is empty',
    kept,
    published: [published, ''],
    step: { kind: 'publish', bundle: published },
  },
  {
    name: 'a caBundle is another one',
    kept,
    published: [bundleOf(stranger), published],
    step: { kind: 'publish', bundle: published },
  },
  {
    name: 'a caBundle has one too many',
    kept,
    published: [published + bundleOf(stranger)],
    step: { kind: 'publish', bundle: published },
  },
  {
    name: 'a caBundle has other line ends',
    kept,
    published: [published.replaceAll('\n', '\r\n')],
    step: { kind: 'rest' },
  },
  {
    name: 'a caBundle has another order',
    kept: switched,
    published: [
      pemOf(kept.authority) + pemOf(switched.authority),
      pemOf(switched.authority) + pemOf(kept.authority),
    ],
    step: { kind: 'rest' },
  },

  {
    name: 'just before two thirds of the authority’s life',
    kept: withFreshLeaf(kept),
    after: twoThirds.authority - 1,
    step: { kind: 'rest' },
  },
  {
    name: 'two thirds of the authority’s life',
    kept: withFreshLeaf(kept),
    after: twoThirds.authority,
    step: { kind: 'make-next' },
  },
  {
    name: 'the next authority is not trusted by all',
    kept: withNext,
    published: [bundleOf(withNext), published],
    step: { kind: 'publish', bundle: bundleOf(withNext) },
  },
  { name: 'the next authority is trusted by all', kept: withNext, step: { kind: 'switch' } },
  {
    name: 'the next authority has expired',
    kept: withFreshLeaf({ ...kept, next: foreignAuthority }),
    after: 151 * DAY,
    step: { kind: 'make-next' },
  },
  {
    name: 'the next authority is none',
    kept: { ...kept, next: kept.leaf },
    step: { kind: 'make-next' },
  },
  {
    name: 'the key is not that of the next authority',
    kept: { ...kept, next: { ...withNext.next!, privateKeyPem: kept.leaf.privateKeyPem } },
    step: { kind: 'make-next' },
  },

  { name: 'the new leaf has not settled', kept: switched, after: SETTLE - 1, step: { kind: 'rest' } },
  { name: 'the new leaf has settled', kept: switched, after: SETTLE, step: { kind: 'drop-old' } },
  {
    name: 'no switch before the last one has settled',
    kept: { ...switched, next: withNext.next },
    after: SETTLE - 1,
    step: { kind: 'rest' },
  },
  {
    name: 'the old one is still in a caBundle after it was dropped',
    kept: { ...switched, old: null },
    published: [bundleOf(switched)],
    step: { kind: 'publish', bundle: bundleOf({ ...switched, old: null }) },
  },
];

t.test('the next step', (t) => {
  for (const { name, kept, after = 0, names: asked = names, published, step } of rows) {
    const facts: RotationFacts = {
      now: new Date(T0 + after),
      names: asked,
      published: published ?? (kept === null ? [] : [bundleOf(kept), bundleOf(kept)]),
      settleMs: SETTLE,
    };
    t.match(nextStep(kept, facts), step, name);
  }
  t.end();
});

t.test('the bundle holds each authority once, and no key', (t) => {
  const certificates = (bundle: string) => bundle.match(/BEGIN CERTIFICATE/g)?.length;
  t.equal(certificates(bundleOf(kept)), 1);
  t.equal(certificates(bundleOf(withNext)), 2);
  t.equal(certificates(bundleOf(switched)), 2);
  t.equal(certificates(bundleOf({ ...switched, old: bundleOf(switched) })), 2);
  t.equal(bundleOf(withNext), bundleOf(switched), 'a switch does not change it');
  t.notMatch(bundleOf(withNext), 'PRIVATE');
  t.match(bundleOf(withNext), /^-----BEGIN CERTIFICATE-----\n.*\n-----END CERTIFICATE-----\n$/s);
  t.end();
});

t.test('the fixtures are what they are taken for', (t) => {
  const end = (pair: KeyPair) => new X509Certificate(pemOf(pair)).validToDate.getTime();
  t.equal(end(kept.authority), T0 + 300 * DAY);
  t.equal(end(kept.leaf), T0 + 90 * DAY);
  t.equal(end(longLeaf), end(kept.authority));
  t.equal(end(foreignAuthority), T0 + DAY);
  t.end();
});
