import { X509Certificate } from 'node:crypto';
import t from 'tap';
import type { KeyPair } from '../../../src/tls/authority.ts';
import type { Keeping } from '../../../src/tls/rotation.ts';
import { takeStep } from '../../../src/tls/take-step.ts';
import { validity } from '../../../src/tls/validity.ts';
import { keyPool } from './key-pool.ts';

const DAY = 86_400_000;
const T0 = Date.parse('2030-01-01T00:00:00Z');
const names = ['plimsoll.ns.svc', 'plimsoll'];
const context = (at = T0) => ({
  now: new Date(at),
  names,
  lives: { authorityDays: 300, leafDays: 90 },
  makeKeys: keyPool(4),
});
const kept = (await takeStep(null, { kind: 'create', because: '', old: null }, context()))!;
const withNext = (await takeStep(kept, { kind: 'make-next' }, context(T0 + 200 * DAY)))!;

const isOf = (leaf: KeyPair, authority: KeyPair, now = T0) =>
  validity({ ...leaf, authorityPem: authority.certificatePem, names, now: new Date(now) }).ok;
const endOf = ({ certificatePem }: KeyPair) => new X509Certificate(certificatePem).validToDate.getTime();

t.test('create: an authority, and a leaf of it for all names', async (t) => {
  t.ok(isOf(kept.leaf, kept.authority));
  t.equal(endOf(kept.authority), T0 + 300 * DAY);
  t.equal(endOf(kept.leaf), T0 + 90 * DAY);
  t.match(kept, { next: null, old: null });
  const step = { kind: 'create', because: '', old: kept.authority.certificatePem } as const;
  const again = (await takeStep(kept, step, context()))!;
  t.equal(again.old, kept.authority.certificatePem, 'what the step says is trusted on');
  t.notOk(isOf(again.leaf, kept.authority));
});

t.test('renew-leaf: of the same authority, and nothing else', async (t) => {
  const renewed = (await takeStep(withNext, { kind: 'renew-leaf', because: '' }, context(T0 + 60 * DAY)))!;
  t.same({ ...renewed, leaf: null }, { ...withNext, leaf: null });
  t.ok(isOf(renewed.leaf, kept.authority, T0 + 60 * DAY));
  t.equal(endOf(renewed.leaf), T0 + 150 * DAY);
});

t.test('make-next: an authority that signs nothing yet', async (t) => {
  t.same({ ...withNext, next: null }, kept);
  t.equal(endOf(withNext.next!), T0 + 500 * DAY);
});

t.test('switch: the next one signs, the one before is remembered without its key', async (t) => {
  const now = T0 + 200 * DAY;
  const switched = (await takeStep(withNext, { kind: 'switch' }, context(now)))!;
  t.same(switched.authority, withNext.next);
  t.ok(isOf(switched.leaf, withNext.next!, now));
  t.match(switched, { next: null, old: kept.authority.certificatePem });
  t.equal(await takeStep(kept, { kind: 'switch' }, context()), null, 'without a next one');
});

t.test('drop-old', async (t) => {
  const old = kept.authority.certificatePem;
  t.same(await takeStep({ ...kept, old }, { kind: 'drop-old' }, context()), kept);
});

t.test('what changes nothing that is kept', async (t) => {
  t.equal(await takeStep(kept, { kind: 'publish', bundle: '' }, context()), null);
  t.equal(await takeStep(kept, { kind: 'rest' }, context()), null);
  const nothing: Keeping | null = null;
  t.equal(await takeStep(nothing, { kind: 'make-next' }, context()), null);
});
