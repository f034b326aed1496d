import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { certs } from '../../../src/cli/certs.ts';
import { scratch } from '../../integration/harness.ts';
import { run } from './terminal.ts';

const certificate = async (folder: string, name: string) =>
  new X509Certificate(await readFile(join(folder, name), 'utf8'));

t.test('init writes a CA and a serving certificate of it', async (t) => {
  const folder = join(await scratch(t), 'new', 'certs');
  const { code, stdout } = await run(certs, ['init', '--dir', folder]);
  t.equal(code, 0);
  t.equal(
    stdout,
    `wrote ca.crt, ca.key, tls.crt and tls.key to ${folder}, for localhost, 127.0.0.1, ::1, 30 days\n`,
  );
  const [ca, leaf] = [await certificate(folder, 'ca.crt'), await certificate(folder, 'tls.crt')];
  t.equal(ca.ca, true);
  t.equal(leaf.ca, false);
  t.ok(leaf.checkIssued(ca) && leaf.verify(ca.publicKey));
  t.equal(leaf.checkHost('localhost'), 'localhost');
  t.equal(leaf.checkIP('127.0.0.1'), '127.0.0.1');
  for (const key of ['ca.key', 'tls.key'])
    t.equal((await stat(join(folder, key))).mode & 0o777, 0o600, 'keys are for their owner alone');
});

t.test('names and days as asked', async (t) => {
  const folder = await scratch(t);
  await run(certs, ['init', '--dir', folder, '--san', 'a.example', '--san', '10.0.0.1', '--days', '2']);
  const leaf = await certificate(folder, 'tls.crt');
  t.equal(leaf.checkHost('a.example'), 'a.example');
  t.equal(leaf.checkHost('localhost'), undefined);
  t.equal(leaf.checkIP('10.0.0.1'), '10.0.0.1');
  const days = (leaf.validToDate.getTime() - Date.now()) / 86_400_000;
  t.ok(days > 1 && days <= 2, `${days}`);
});

t.test('existing files are replaced, and their keys closed', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'ca.key'), 'old', { mode: 0o644 });
  t.equal((await run(certs, ['init', '--dir', folder])).code, 0);
  t.match(await readFile(join(folder, 'ca.key'), 'utf8'), /PRIVATE KEY/);
  t.equal((await stat(join(folder, 'ca.key'))).mode & 0o777, 0o600);
});

t.test('mistakes are told by a code', async (t) => {
  const folder = await scratch(t);
  for (const args of [[], ['make'], ['init', '--days', '0'], ['init', '--days', '3651'], ['init', 'x']])
    t.equal((await run(certs, args)).code, 1, args.join(' '));
  for (const name of ['', 'not a name', 'a..b', '*'])
    await t.rejects(run(certs, ['init', '--dir', folder, '--san', name]), { code: 'bad-name' }, name);
  await mkdir(join(folder, 'tls.key'));
  await t.rejects(run(certs, ['init', '--dir', folder]), { code: 'EISDIR' });
});
