import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issueAuthority, issueServing, type KeyPair } from '../tls/authority.ts';
import { type Command, UsageError, wholeNumber } from './command.ts';

const HELP = `plimsoll certs init: a CA and a serving certificate for development

Usage: plimsoll certs init [--dir certs] [--san NAME]... [--days 30]

  --dir DIR     where to write ca.crt, ca.key, tls.crt and tls.key (default: certs)
  --san NAME    a DNS name or IP address to certify; may be repeated (default: localhost, 127.0.0.1, ::1)
  --days N      how long they are valid (default: 30)

Existing files are replaced. Not for production: there the chart manages certificates.
`;

/** Names that a webhook on this machine is called by. */
export const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];

export interface DevelopmentCertificates {
  readonly authority: KeyPair;
  readonly serving: KeyPair;
}

/** A CA and a serving certificate, in memory. */
export async function makeCertificates(
  names: readonly string[],
  validForDays: number,
): Promise<DevelopmentCertificates> {
  const now = new Date();
  const authority = await issueAuthority({ commonName: 'plimsoll development CA', validForDays, now });
  const serving = await issueServing(authority, { names, validForDays, now });
  return { authority, serving };
}

/** Writes ca.crt, ca.key, tls.crt and tls.key; keys are for their owner alone. */
export async function writeCertificates(
  folder: string,
  { authority, serving }: DevelopmentCertificates,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files = {
    'ca.crt': authority.certificatePem,
    'ca.key': authority.privateKeyPem,
    'tls.crt': serving.certificatePem,
    'tls.key': serving.privateKeyPem,
  };
  for (const [name, pem] of Object.entries(files)) {
    const path = join(folder, name);
    const mode = name.endsWith('.key') ? 0o600 : 0o644;
    await writeFile(path, pem, { mode });
    await chmod(path, mode);
  }
}

export const certs: Command = {
  help: HELP,
  options: { dir: { type: 'string' }, san: { type: 'string', multiple: true }, days: { type: 'string' } },
  positionals: 1,
  words: ['init'],
  run: async (flags, { stdout }) => {
    if (flags.positionals[0] !== 'init')
      throw new UsageError("certs needs 'init'; see 'plimsoll certs --help'");
    const folder = flags.text('dir') ?? 'certs';
    const names = flags.texts('san').length > 0 ? flags.texts('san') : LOCAL_NAMES;
    const days = wholeNumber('days', flags.text('days'), 1, 3650) ?? 30;
    await writeCertificates(folder, await makeCertificates(names, days));
    stdout.write(
      `wrote ca.crt, ca.key, tls.crt and tls.key to ${folder}, for ${names.join(', ')}, ${days} days\n`,
    );
    return 0;
  },
};
