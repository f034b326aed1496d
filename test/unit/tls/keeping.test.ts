import t from 'tap';
import { keepingOf, textsOf } from '../../../src/tls/keeping.ts';
import type { Keeping } from '../../../src/tls/rotation.ts';

const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
const pair = (text: string) => ({ certificatePem: pem(text), privateKeyPem: `key of ${text}` });
const kept: Keeping = { authority: pair('authority'), leaf: pair('leaf'), next: null, old: null };
const full: Keeping = { ...kept, next: pair('next'), old: pem('old') };

t.test('what is kept comes back as it was', (t) => {
  for (const keeping of [kept, full, { ...kept, next: pair('next') }, { ...kept, old: pem('old') }])
    t.same(keepingOf(textsOf(keeping)), keeping);
  t.end();
});

t.test('the Secret is one that other programs can read', (t) => {
  const texts = textsOf(full);
  t.equal(texts['tls.crt'], full.leaf.certificatePem);
  t.equal(texts['tls.key'], full.leaf.privateKeyPem);
  t.equal(texts['ca.crt'], [pem('authority'), pem('next'), pem('old')].join(''));
  t.equal(textsOf(kept)['ca.crt'], pem('authority'));
  t.end();
});

t.test('what cannot be done without', (t) => {
  const without = (...keys: string[]) =>
    keepingOf(Object.fromEntries(Object.entries(textsOf(full)).filter(([key]) => !keys.includes(key))));
  for (const key of ['tls.crt', 'tls.key', 'signing-ca.crt', 'signing-ca.key'])
    t.equal(without(key), null, key);
  t.same(without('ca.crt'), full);
  t.same(without('next-ca.crt'), { ...full, next: null });
  t.same(without('next-ca.key'), { ...full, next: null });
  t.same(without('old-ca.crt'), { ...full, old: null });
  t.equal(keepingOf({}), null, 'an empty Secret');
  t.equal(keepingOf({ ...textsOf(full), 'tls.key': '' }), null);
  t.end();
});
