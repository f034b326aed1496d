import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type SecureContextOptions } from 'node:tls';
import t from 'tap';
import { issueAuthority, issueServing, type KeyPair } from '../../../src/tls/authority.ts';
import { loadServing, ServingError, type ServingOptions } from '../../../src/tls/serving.ts';

const now = new Date();
const later = new Date(now.getTime() + 20 * 86_400_000);
const authority = await issueAuthority({ commonName: 'CA', now, validForDays: 90 });
const stranger = await issueAuthority({ commonName: 'CA', now, validForDays: 90 });
const names = ['a.ns.svc'];
const first = await issueServing(authority, { names, now, validForDays: 10 });
const second = await issueServing(authority, { names, now, validForDays: 60 });
const third = await issueServing(authority, { names, now, validForDays: 80 });
const foreign = await issueServing(stranger, { names, now, validForDays: 60 });

interface Files {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

const filesOf = (pair: KeyPair): Files => ({
  certificate: pair.certificatePem,
  key: pair.privateKeyPem,
  authority: authority.certificatePem,
});

/** A folder that changes as a mounted Secret does: as a whole, by a symbolic link. */
async function mountedSecret(t: { teardown(after: () => unknown): void }, files: Files) {
  const root = await mkdtemp(join(tmpdir(), 'plimsoll-serving-'));
  t.teardown(() => rm(root, { recursive: true }));
  let version = 0;
  const write = async (next: Files): Promise<void> => {
    version += 1;
    const folder = join(root, `..v${version}`);
    await mkdir(folder);
    await writeFile(join(folder, 'tls.crt'), next.certificate);
    await writeFile(join(folder, 'tls.key'), next.key);
    await writeFile(join(folder, 'ca.crt'), next.authority);
    await symlink(folder, join(root, '..new'));
    await rename(join(root, '..new'), join(root, '..data'));
  };
  await write(files);
  const contexts: SecureContextOptions[] = [];
  const options: ServingOptions = {
    certificateFile: join(root, '..data', 'tls.crt'),
    privateKeyFile: join(root, '..data', 'tls.key'),
    authorityFile: join(root, '..data', 'ca.crt'),
    clientAuthorityFile: null,
    names,
    // Out of the way: these tests call reload.
    pollMs: 3_600_000,
    now: () => now,
    onContext: (context) => contexts.push(context),
  };
  return { root, write, contexts, options };
}

t.test('what is served from the start', async (t) => {
  const { contexts, options } = await mountedSecret(t, filesOf(first));
  const serving = await loadServing(options);
  t.teardown(serving.stop);
  t.same(serving.context(), { cert: first.certificatePem, key: first.privateKeyPem });
  t.match(serving.state(), { served: { ok: true }, refused: null });
  await serving.reload();
  t.equal(contexts.length, 0, 'nothing has changed');
});

t.test('the authority of clients goes with every context', async (t) => {
  const { write, contexts, options } = await mountedSecret(t, filesOf(first));
  const serving = await loadServing({ ...options, clientAuthorityFile: options.authorityFile });
  t.teardown(serving.stop);
  t.equal(serving.context().ca, authority.certificatePem);
  await write(filesOf(second));
  await serving.reload();
  t.same(contexts, [
    { cert: second.certificatePem, key: second.privateKeyPem, ca: authority.certificatePem },
  ]);
});

t.test('starting with files that are not good', async (t) => {
  const broken = [
    { name: 'no key', files: { ...filesOf(first), key: '' }, code: 'unreadable' },
    {
      name: 'the key of another',
      files: { ...filesOf(first), key: second.privateKeyPem },
      code: 'key-mismatch',
    },
  ];
  for (const { name, files, code } of broken) {
    const { options } = await mountedSecret(t, files);
    await t.rejects(loadServing(options), { name: 'ServingError', code }, name);
  }
  const { options, root } = await mountedSecret(t, filesOf(first));
  await t.rejects(
    loadServing({ ...options, privateKeyFile: join(root, 'none') }),
    { name: 'ServingError', code: 'unreadable' },
    'no such file',
  );

  const served = [
    { name: 'another authority', change: {}, files: filesOf(foreign), code: 'wrong-authority' },
    { name: 'another name', change: { names: ['b.ns.svc'] }, files: filesOf(first), code: 'wrong-name' },
    { name: 'its end', change: { now: () => later }, files: filesOf(first), code: 'expired' },
  ];
  for (const { name, change, files, code } of served) {
    const { options: own } = await mountedSecret(t, files);
    const serving = await loadServing({ ...own, ...change });
    t.teardown(serving.stop);
    t.match(serving.state(), { served: { ok: false, code }, refused: null }, name);
  }
  t.equal(new ServingError('expired', 'm').code, 'expired');
});

t.test('changes while the certificate in use is good', async (t) => {
  const { write, contexts, options } = await mountedSecret(t, filesOf(first));
  const serving = await loadServing(options);
  t.teardown(serving.stop);
  const refusals = [
    { name: 'no certificate', files: { ...filesOf(second), certificate: '' }, code: 'unreadable' },
    { name: 'half of a pair', files: { ...filesOf(first), key: second.privateKeyPem }, code: 'key-mismatch' },
    { name: 'another authority', files: filesOf(foreign), code: 'wrong-authority' },
  ];
  for (const { name, files, code } of refusals) {
    await write(files);
    await serving.reload();
    t.match(serving.state(), { served: { ok: true }, refused: { code } }, name);
    t.equal(serving.context().cert, first.certificatePem, `${name}: the last good one stays`);
  }
  t.equal(contexts.length, 0);

  await write(filesOf(first));
  await serving.reload();
  t.match(serving.state(), { refused: null }, 'the files are what is in use');
  t.equal(contexts.length, 0);

  await write(filesOf(second));
  await serving.reload();
  t.match(serving.state(), { served: { ok: true }, refused: null }, 'a good pair');
  t.same(contexts, [{ cert: second.certificatePem, key: second.privateKeyPem }]);
});

t.test('changes once the certificate in use has expired', async (t) => {
  const { write, contexts, options } = await mountedSecret(t, filesOf(first));
  let clock = now;
  const serving = await loadServing({ ...options, now: () => clock });
  t.teardown(serving.stop);
  clock = later;
  t.match(
    serving.state(),
    { served: { ok: false, code: 'expired' }, refused: null },
    'seen without a reload',
  );

  await write({ ...filesOf(second), key: third.privateKeyPem });
  await serving.reload();
  t.equal(contexts.length, 0, 'what cannot be served is never taken');

  await write(filesOf(foreign));
  await serving.reload();
  t.match(
    serving.state(),
    { served: { ok: false, code: 'wrong-authority' }, refused: null },
    'no worse than before',
  );

  await write(filesOf(third));
  await serving.reload();
  t.match(serving.state(), { served: { ok: true }, refused: null });
  t.equal(contexts.length, 2);
});

t.test('files that vanish', async (t) => {
  const { root, contexts, options } = await mountedSecret(t, filesOf(first));
  const serving = await loadServing(options);
  t.teardown(serving.stop);
  await rm(join(root, '..data'));
  await serving.reload();
  t.match(serving.state(), { served: { ok: true }, refused: { code: 'unreadable' } });
  t.equal(contexts.length, 0);
});

t.test('a TLS server changes its certificate by polling, without a restart', async (t) => {
  const { write, options } = await mountedSecret(t, filesOf(first));
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const server = createServer((socket) => socket.end());
  const serving = await loadServing({
    ...options,
    pollMs: 5,
    onContext: (context) => {
      server.setSecureContext(context);
      resolve();
    },
  });
  t.teardown(serving.stop);
  server.setSecureContext(serving.context());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;

  t.equal(await shownCertificate(port), first.certificatePem.replaceAll(/\s/g, ''));
  await write(filesOf(second));
  await changed;
  t.equal(await shownCertificate(port), second.certificatePem.replaceAll(/\s/g, ''));
});

/** The certificate that the server shows, as PEM without white space. */
async function shownCertificate(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername: names[0]!, ca: authority.certificatePem });
  await once(socket, 'secureConnect');
  const shown = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.destroy();
  return shown.replaceAll(/\s/g, '');
}
