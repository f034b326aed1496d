import t from 'tap';
import { Adoption, acceptance } from '../../../src/tls/adoption.ts';
import { bundleOf, type Keeping, type RotationStep } from '../../../src/tls/rotation.ts';
import { takeStep } from '../../../src/tls/take-step.ts';
import { keyPool } from './key-pool.ts';

const DAY = 86_400_000;
const T0 = Date.parse('2030-01-01T00:00:00Z');
const PROPAGATION = 10_000;
const names = ['plimsoll.ns.svc'];
const context = {
  now: new Date(T0),
  names,
  lives: { authorityDays: 300, leafDays: 90 },
  makeKeys: keyPool(8),
};
const take = async (kept: Keeping | null, step: RotationStep) => (await takeStep(kept, step, context))!;
const first = await take(null, { kind: 'create', because: '', old: null });
const renewed = await take(first, { kind: 'renew-leaf', because: '' });
const switched = await take(await take(first, { kind: 'make-next' }), { kind: 'switch' });
const broken = { ...renewed.leaf, privateKeyPem: first.leaf.privateKeyPem };

const facts = (after: number, ...published: string[]) => ({ now: new Date(T0 + after), names, published });
const [before, both] = [bundleOf(first), bundleOf(switched)];

t.test('what the API server makes of a leaf', (t) => {
  t.match(acceptance(first.leaf, facts(0)), { ok: true }, 'nobody has to trust it yet');
  t.match(acceptance(first.leaf, facts(0, before, both)), { ok: true });
  t.match(acceptance(first.leaf, facts(0, before, '')), { ok: false, code: 'wrong-authority' });
  t.match(acceptance(first.leaf, facts(90 * DAY, before)), { ok: true }, 'just before it expires');
  t.match(acceptance(first.leaf, facts(90 * DAY + 1)), { ok: false, code: 'expired' });
  t.match(acceptance(first.leaf, { ...facts(0), names: ['other'] }), { ok: false, code: 'wrong-name' });
  t.end();
});

t.test('the first one is taken up as it is, if it can be served', (t) => {
  t.equal(new Adoption(PROPAGATION).takesUp(null, first.leaf, facts(0, '')), true);
  t.equal(new Adoption(PROPAGATION).takesUp(null, broken, facts(0, before)), false);
  t.equal(new Adoption(PROPAGATION).takesUp(null, { ...broken, privateKeyPem: '' }, facts(0, before)), false);
  t.end();
});

t.test('another one only when it has been trusted everywhere for long enough', (t) => {
  const adoption = new Adoption(PROPAGATION);
  const asks = (after: number, ...published: string[]) =>
    adoption.takesUp(first.leaf, switched.leaf, facts(after, ...published));
  t.equal(asks(0, before, both), false, 'not everywhere');
  t.equal(asks(100_000, both, both), false, 'just now');
  t.equal(asks(109_999, both, both), false);
  t.equal(asks(110_000, both, both), true);
  t.equal(asks(111_000, before, both), false, 'taken back');
  t.equal(asks(111_001, both, both), false, 'so it begins anew');
  t.equal(adoption.takesUp(first.leaf, renewed.leaf, facts(121_001, both)), false, 'yet another one');
  t.equal(adoption.takesUp(first.leaf, renewed.leaf, facts(131_001, both)), true);
  t.end();
});

t.test('at once where the one in use is no good', (t) => {
  const asks = (after: number, published: string) =>
    new Adoption(PROPAGATION).takesUp(first.leaf, switched.leaf, facts(after, published));
  t.equal(asks(0, bundleOf({ ...switched, old: null })), true, 'not trusted');
  t.equal(asks(0, ''), true, 'neither is the other, but that is what will be published');
  t.equal(asks(90 * DAY + 1, both), true, 'expired');
  t.equal(
    new Adoption(PROPAGATION).takesUp(first.leaf, broken, facts(0, '')),
    false,
    'but never a broken one',
  );
  t.end();
});

t.test('the one in use is no other', (t) => {
  const adoption = new Adoption(0);
  t.equal(adoption.takesUp(first.leaf, { ...first.leaf }, facts(0, before)), false);
  t.equal(adoption.takesUp(first.leaf, renewed.leaf, facts(0, before)), true);
  t.end();
});
