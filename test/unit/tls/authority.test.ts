import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ConnectionOptions, connect, createServer, type TLSSocket } from 'node:tls';
import fc from 'fast-check';
import t from 'tap';
import {
  AuthorityError,
  type AuthorityErrorCode,
  issueAuthority,
  issueClient,
  issueServing,
  type KeyPair,
} from '../../../src/tls/authority.ts';

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

// Object identifiers under id-ce (RFC 5280, 4.2.1), and what DER writes after one that is critical.
const SUBJECT_KEY_IDENTIFIER = '0603551d0e';
const KEY_USAGE = '0603551d0f';
const BASIC_CONSTRAINTS = '0603551d13';
const AUTHORITY_KEY_IDENTIFIER = '0603551d23';
const CRITICAL = '0101ff';

const now = new Date();
const soon = { now, validForDays: 30 };
const authority = await issueAuthority({ commonName: 'Plimsoll CA', ...soon });
const serving = await issueServing(authority, { names: ['plimsoll.example.svc', '127.0.0.1'], ...soon });

function read(pair: KeyPair): X509Certificate {
  return new X509Certificate(pair.certificatePem);
}

function der(pair: KeyPair): string {
  return read(pair).raw.toString('hex');
}

t.test('an authority is one', async (t) => {
  const certificate = read(authority);
  t.equal(certificate.subject, 'CN=Plimsoll CA');
  t.equal(certificate.issuer, 'CN=Plimsoll CA');
  t.equal(certificate.ca, true);
  t.ok(certificate.verify(certificate.publicKey), 'it signs itself');
  t.ok(certificate.checkIssued(certificate));
  t.ok(certificate.checkPrivateKey(createPrivateKey(authority.privateKeyPem)));
  t.equal(certificate.publicKey.asymmetricKeyDetails?.modulusLength, 2048);
  t.ok(
    der(authority).includes(`${BASIC_CONSTRAINTS}${CRITICAL}0408300601${'01ff020100'}`),
    'CA, path length 0',
  );
  t.ok(der(authority).includes(`${KEY_USAGE}${CRITICAL}040403020106`), 'keyCertSign and cRLSign');
});

t.test('a serving certificate is for its names, under its authority', async (t) => {
  const certificate = read(serving);
  t.equal(certificate.subjectAltName, 'DNS:plimsoll.example.svc, IP Address:127.0.0.1');
  t.equal(certificate.ca, false);
  t.ok(certificate.checkIssued(read(authority)));
  t.ok(certificate.verify(read(authority).publicKey));
  t.ok(certificate.checkPrivateKey(createPrivateKey(serving.privateKeyPem)));
  t.same(certificate.keyUsage, [SERVER_AUTH]);
  t.ok(der(serving).includes(`${BASIC_CONSTRAINTS}${CRITICAL}04023000`), 'no CA');
});

t.test('a client certificate names the user and the groups', async (t) => {
  const request = { commonName: 'ann', organizations: ['system:masters', 'ops'], ...soon };
  const certificate = read(await issueClient(authority, request));
  t.equal(certificate.subject, 'O=system:masters\nO=ops\nCN=ann');
  t.equal(certificate.ca, false);
  t.ok(certificate.verify(read(authority).publicKey));
  t.same(certificate.keyUsage, [CLIENT_AUTH]);
});

t.test('names beyond ASCII are kept', async (t) => {
  const pair = await issueAuthority({ commonName: 'Plimsoll Ærø', ...soon });
  t.equal(read(pair).subject, 'CN=Plimsoll Ærø');
  const leaf = read(await issueServing(pair, { names: ['a.example'], ...soon }));
  t.ok(leaf.checkIssued(read(pair)));
});

t.test('a leaf points to the key of its authority', async (t) => {
  const [, identifier] = der(authority).split(`${SUBJECT_KEY_IDENTIFIER}04160414`);
  t.ok(identifier);
  const keyIdentifier = identifier!.slice(0, 40);
  for (const pair of [authority, serving]) {
    t.ok(der(pair).includes(`${AUTHORITY_KEY_IDENTIFIER}041830168014${keyIdentifier}`));
  }
  const [, own] = der(serving).split(`${SUBJECT_KEY_IDENTIFIER}04160414`);
  t.ok(own && own.slice(0, 40) !== keyIdentifier, 'a leaf has a key of its own');
});

t.test('life starts an hour early and ends with the authority', async (t) => {
  const day = new Date('2030-01-02T03:04:05Z');
  const parent = await issueAuthority({ commonName: 'CA', now: day, validForDays: 10 });
  t.equal(read(parent).validFromDate.toISOString(), '2030-01-02T02:04:05.000Z');
  t.equal(read(parent).validToDate.toISOString(), '2030-01-12T03:04:05.000Z');
  const rows = [
    { name: 'shorter', validForDays: 9, end: '2030-01-11T03:04:05.000Z' },
    { name: 'as long', validForDays: 10, end: '2030-01-12T03:04:05.000Z' },
    { name: 'longer', validForDays: 11, end: '2030-01-12T03:04:05.000Z' },
  ];
  for (const { name, validForDays, end } of rows) {
    const leaf = await issueServing(parent, { names: ['a.example'], now: day, validForDays });
    t.equal(read(leaf).validToDate.toISOString(), end, name);
  }
});

t.test('dates on both sides of 2050, where their encoding changes', async (t) => {
  for (const year of [2049, 2050]) {
    const pair = await issueAuthority({
      commonName: 'CA',
      now: new Date(`${year}-06-01T00:00:00Z`),
      validForDays: 1,
    });
    t.equal(read(pair).validToDate.toISOString(), `${year}-06-02T00:00:00.000Z`);
  }
});

t.test('serial numbers are positive, and of 128 bits whatever the random bytes', async (t) => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
  await fc.assert(
    fc.asyncProperty(bytes, async (random) => {
      const pair = await issueAuthority({ commonName: 'CA', ...soon, randomBytes: () => random });
      const { serialNumber } = read(pair);
      const expected = Buffer.from(random);
      return (
        /^[4-7][0-9A-F]{31}$/.test(serialNumber) &&
        serialNumber.slice(2) === expected.toString('hex').toUpperCase().slice(2)
      );
    }),
    { numRuns: 5, examples: [[new Uint8Array(16)], [new Uint8Array(16).fill(255)]] },
  );
  t.ok(read(authority).serialNumber !== read(serving).serialNumber);
});

t.test('names that may be certified', async (t) => {
  const rows: { name: string; value: string; code: AuthorityErrorCode | null }[] = [
    { name: 'a label', value: 'localhost', code: null },
    { name: 'a wildcard', value: '*.example.svc', code: null },
    { name: 'an IPv6 address', value: '::1', code: null },
    { name: 'at the length of DNS', value: `${'a.'.repeat(126)}a`, code: null },
    { name: 'over the length of DNS', value: `${'a.'.repeat(126)}aa`, code: 'bad-name' },
    { name: 'empty', value: '', code: 'bad-name' },
    { name: 'a wildcard in the middle', value: 'a.*.svc', code: 'bad-name' },
    { name: 'a port', value: 'a.example:443', code: 'bad-name' },
    { name: 'not ASCII', value: 'ærø.example', code: 'bad-name' },
    { name: 'a NUL', value: 'a.example\0.b', code: 'bad-name' },
  ];
  for (const { name, value, code } of rows) {
    const issued = issueServing(authority, { names: [value], ...soon });
    if (code === null) t.ok(read(await issued).subjectAltName, name);
    else await t.rejects(issued, { name: 'AuthorityError', code }, name);
  }
  await t.rejects(issueServing(authority, { names: [], ...soon }), { code: 'no-names' });
});

t.test('what may not sign', async (t) => {
  const other = await issueAuthority({ commonName: 'Plimsoll CA', ...soon });
  const groups = await issueClient(authority, { commonName: 'ann', organizations: ['ops'], ...soon });
  const rows = [
    { name: 'a leaf', pair: serving },
    { name: 'a client', pair: groups },
    { name: 'the key of another', pair: { ...authority, privateKeyPem: other.privateKeyPem } },
    { name: 'no certificate', pair: { ...authority, certificatePem: 'x' } },
    { name: 'no key', pair: { ...authority, privateKeyPem: '' } },
  ];
  for (const { name, pair } of rows) {
    await t.rejects(
      issueServing(pair, { names: ['a.example'], ...soon }),
      { code: 'not-an-authority' },
      name,
    );
  }
  t.equal(new AuthorityError('no-names', 'm').name, 'AuthorityError');
});

t.test('TLS on loopback, with both sides certified', async (t) => {
  const client = await issueClient(authority, { commonName: 'ann', organizations: ['ops'], ...soon });
  const server = createServer({
    cert: serving.certificatePem,
    key: serving.privateKeyPem,
    ca: authority.certificatePem,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const seen: string[] = [];
  server.on('tlsClientError', () => {});
  server.on('secureConnection', (socket: TLSSocket) => {
    seen.push(socket.getPeerX509Certificate()?.subject ?? '');
    socket.on('error', () => {});
    socket.end('hello');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());

  const { port } = server.address() as AddressInfo;
  const base = { host: '127.0.0.1', port, ca: authority.certificatePem };
  const shown = { cert: client.certificatePem, key: client.privateKeyPem };
  const stranger = await issueAuthority({ commonName: 'Plimsoll CA', ...soon });

  t.equal(await greeting({ ...base, ...shown, servername: 'plimsoll.example.svc' }), 'hello', 'by name');
  t.equal(await greeting({ ...base, ...shown }), 'hello', 'by address');
  const refusals = [
    { name: 'no client certificate', options: base },
    {
      name: 'a serving certificate as the client',
      options: { ...base, cert: serving.certificatePem, key: serving.privateKeyPem },
    },
    { name: 'another name', options: { ...base, ...shown, servername: 'other.example.svc' } },
    {
      name: 'another authority of the same name',
      options: { ...base, ...shown, ca: stranger.certificatePem },
    },
  ];
  for (const { name, options } of refusals) t.equal(await greeting(options), '', name);
  t.same(seen.slice(0, 2), ['O=ops\nCN=ann', 'O=ops\nCN=ann']);
  t.ok(
    seen.every((subject) => subject === seen[0]),
    'and only with such a certificate',
  );
});

/** What the server says to a client that connects so; empty where either side refuses the other. */
async function greeting(options: ConnectionOptions): Promise<string> {
  const socket = connect(options);
  let text = '';
  try {
    for await (const chunk of socket) text += String(chunk);
  } catch {
    return '';
  }
  return text;
}
