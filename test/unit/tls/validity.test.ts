import forge from 'node-forge';
import t from 'tap';
import { issueAuthority, issueClient, issueServing, type KeyPair } from '../../../src/tls/authority.ts';
import { type InvalidityCode, type ServingFiles, validity } from '../../../src/tls/validity.ts';

const issued = new Date('2030-01-01T00:00:00Z');
const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** That long after the certificates were issued. */
function after(ms: number): Date {
  return new Date(issued.getTime() + ms);
}

const authority = await issueAuthority({ commonName: 'CA', now: issued, validForDays: 30 });
const sameName = await issueAuthority({ commonName: 'CA', now: issued, validForDays: 30 });
const leaf = await issueServing(authority, {
  names: ['a.ns.svc', '*.wild.example', '127.0.0.1', '::1'],
  now: issued,
  validForDays: 9,
});
const long = await issueServing(authority, { names: ['a.ns.svc'], now: issued, validForDays: 30 });

const good: ServingFiles = {
  certificatePem: leaf.certificatePem,
  privateKeyPem: leaf.privateKeyPem,
  authorityPem: authority.certificatePem,
  names: ['a.ns.svc'],
};

/** The code, or 'ok'. */
function verdict(files: Partial<ServingFiles>, now: Date): InvalidityCode | 'ok' {
  const found = validity({ ...good, ...files, now });
  return found.ok ? 'ok' : found.code;
}

t.test('the days of a good certificate', async (t) => {
  // Both lives start an hour early: of nine days and an hour, two thirds are 144 hours and 40 minutes.
  t.same(validity({ ...good, now: issued }), {
    ok: true,
    notAfter: new Date('2030-01-10T00:00:00Z'),
    renewAt: new Date('2030-01-06T23:40:00Z'),
  });
});

t.test('time, to the second', async (t) => {
  const rows = [
    { name: 'before it starts', files: {}, now: after(-HOUR_MS - 1), code: 'not-yet-valid' },
    { name: 'as it starts', files: {}, now: after(-HOUR_MS), code: 'ok' },
    { name: 'as it ends', files: {}, now: after(9 * DAY_MS), code: 'ok' },
    { name: 'after it ended', files: {}, now: after(9 * DAY_MS + SECOND_MS), code: 'expired' },
  ] as const;
  for (const { name, files, now, code } of rows) t.equal(verdict(files, now), code, name);
});

t.test('an authority that ends before its leaf', async (t) => {
  const notAfter = after(3 * DAY_MS);
  const authorityPem = signedBy(authority, authority.certificatePem, notAfter);
  t.same(validity({ ...good, authorityPem, now: notAfter }), {
    ok: true,
    notAfter,
    renewAt: new Date('2030-01-02T23:40:00Z'),
  });
  t.equal(verdict({ authorityPem }, after(3 * DAY_MS + SECOND_MS)), 'expired');
});

t.test('an authority that was renewed with its key: either of the two will do', async (t) => {
  const old = signedBy(authority, authority.certificatePem, after(3 * DAY_MS));
  for (const authorityPem of [old + authority.certificatePem, authority.certificatePem + old]) {
    t.equal(verdict({ authorityPem }, after(4 * DAY_MS)), 'ok');
  }
});

t.test('an intermediate authority', async (t) => {
  const root = await issueAuthority({ commonName: 'Root', now: issued, validForDays: 300 });
  const intermediate = signedBy(root, authority.certificatePem, after(4 * DAY_MS));
  const served = { authorityPem: root.certificatePem, certificatePem: leaf.certificatePem + intermediate };
  const alone = { authorityPem: root.certificatePem };
  t.equal(verdict(served, issued), 'ok', 'served with the leaf');
  t.equal(verdict(served, after(4 * DAY_MS + SECOND_MS)), 'expired', 'that ended');
  t.equal(verdict(alone, issued), 'wrong-authority', 'left out');
  t.equal(verdict({ authorityPem: intermediate }, issued), 'ok', 'trusted by itself');
});

t.test('authorities', async (t) => {
  const rows: { name: string; authorityPem: string | null; code: InvalidityCode | 'ok' }[] = [
    { name: 'its own', authorityPem: authority.certificatePem, code: 'ok' },
    { name: 'unknown to us', authorityPem: null, code: 'ok' },
    { name: 'another of the same name', authorityPem: sameName.certificatePem, code: 'wrong-authority' },
    { name: 'none', authorityPem: '', code: 'wrong-authority' },
    { name: 'another leaf', authorityPem: long.certificatePem, code: 'wrong-authority' },
    { name: 'the leaf itself', authorityPem: leaf.certificatePem, code: 'ok' },
    {
      name: 'a bundle with its own last',
      authorityPem: sameName.certificatePem + authority.certificatePem,
      code: 'ok',
    },
    {
      name: 'text between the certificates',
      authorityPem: `# old\n${sameName.certificatePem}# new\n${authority.certificatePem}`,
      code: 'ok',
    },
    {
      name: 'a bundle with one that cannot be read',
      authorityPem: `${authority.certificatePem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      code: 'unreadable',
    },
  ];
  for (const { name, authorityPem, code } of rows) t.equal(verdict({ authorityPem }, issued), code, name);
});

t.test('names', async (t) => {
  const rows = [
    { name: 'none asked', names: [], code: 'ok' },
    { name: 'its name', names: ['a.ns.svc'], code: 'ok' },
    { name: 'in capitals', names: ['A.NS.SVC'], code: 'ok' },
    { name: 'under its wildcard', names: ['x.wild.example'], code: 'ok' },
    { name: 'two labels under its wildcard', names: ['x.y.wild.example'], code: 'wrong-name' },
    { name: 'its addresses', names: ['127.0.0.1', '::1'], code: 'ok' },
    { name: 'another address', names: ['127.0.0.2'], code: 'wrong-name' },
    { name: 'one of several is missing', names: ['a.ns.svc', 'b.ns.svc'], code: 'wrong-name' },
  ] as const;
  for (const { name, names, code } of rows) t.equal(verdict({ names }, issued), code, name);
});

t.test('pairs', async (t) => {
  const rows = [
    { name: 'the key of another', files: { privateKeyPem: long.privateKeyPem }, code: 'key-mismatch' },
    { name: 'no key', files: { privateKeyPem: '' }, code: 'unreadable' },
    { name: 'a certificate for a key', files: { privateKeyPem: leaf.certificatePem }, code: 'unreadable' },
    { name: 'no certificate', files: { certificatePem: '' }, code: 'unreadable' },
    {
      name: 'a truncated certificate',
      files: { certificatePem: leaf.certificatePem.slice(0, 400) },
      code: 'unreadable',
    },
    {
      name: 'the leaf, and its authority after it',
      files: { certificatePem: leaf.certificatePem + authority.certificatePem },
      code: 'ok',
    },
    {
      name: 'the authority before the leaf',
      files: { certificatePem: authority.certificatePem + leaf.certificatePem },
      code: 'key-mismatch',
    },
  ] as const;
  for (const { name, files, code } of rows) t.equal(verdict(files, issued), code, name);
});

t.test('an authority may not hide behind the files that are served', async (t) => {
  const certificatePem = leaf.certificatePem + authority.certificatePem;
  t.equal(verdict({ certificatePem, authorityPem: sameName.certificatePem }, issued), 'wrong-authority');
});

t.test('the signature counts, where names and key identifiers would do', async (t) => {
  const certificatePem = signedBy(authority, leaf.certificatePem, after(DAY_MS));
  t.equal(verdict({ certificatePem }, issued), 'ok');
  t.equal(verdict({ certificatePem, authorityPem: sameName.certificatePem }, issued), 'wrong-authority');
});

t.test('a certificate that is no authority signs nothing', async (t) => {
  const without = ['authorityKeyIdentifier', 'basicConstraints', 'keyUsage'];
  const authorityPem = signedBy(authority, authority.certificatePem, after(DAY_MS), without);
  t.equal(verdict({ authorityPem }, issued), 'wrong-authority');
});

t.test('the common name is no name to clients', async (t) => {
  const request = { commonName: 'a.ns.svc', organizations: [], now: issued, validForDays: 9 };
  t.equal(verdict(await issueClient(authority, request), issued), 'wrong-name');
});

t.test('a message is one line that names the certificate', async (t) => {
  const late = validity({ ...good, now: after(40 * DAY_MS) });
  t.match(late, {
    ok: false,
    detail: /^the certificate "CN=plimsoll serving" expired at 2030-01-10T00:00:00.000Z$/,
  });
});

/** The same certificate, of another end and from another issuer, without some of its extensions. */
function signedBy(
  issuer: KeyPair,
  certificatePem: string,
  notAfter: Date,
  without: readonly string[] = ['authorityKeyIdentifier'],
): string {
  const certificate = forge.pki.certificateFromPem(certificatePem);
  certificate.validity.notAfter = notAfter;
  certificate.setIssuer(forge.pki.certificateFromPem(issuer.certificatePem).subject.attributes);
  certificate.setExtensions(certificate.extensions.filter(({ name }) => !without.includes(name)));
  certificate.sign(forge.pki.privateKeyFromPem(issuer.privateKeyPem), forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}
