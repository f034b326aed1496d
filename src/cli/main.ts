#!/usr/bin/env node
import { basename } from 'node:path';
import { type Command, readFlags, type Terminal, UsageError } from './command.ts';
import { completionOf } from './completion.ts';
import { version } from './version.ts';

interface Row {
  readonly name: string;
  readonly summary: string;
  /** Each command is loaded when it is called: what the webhook needs takes a second that `floors` has no use for. */
  readonly load: () => Promise<Command>;
}

const COMMANDS: readonly Row[] = [
  {
    name: 'serve',
    summary: 'the webhook: TLS on 8443, health and metrics on 8080',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'report',
    summary: 'evaluates manifests or the cluster as the webhook would, and changes nothing',
    load: async () => (await import('./report.ts')).report,
  },
  {
    name: 'probe',
    summary: 'tells what one disk image is: format, virtual size, stored size',
    load: async () => (await import('./probe.ts')).probe,
  },
  {
    name: 'floors',
    summary: 'shows the density and the memory floors that follow from it',
    load: async () => (await import('./floors.ts')).floors,
  },
  {
    name: 'certs',
    summary: 'makes a development CA and serving certificate',
    load: async () => (await import('./certs.ts')).certs,
  },
  {
    name: 'config',
    summary: 'prints the default configuration or its schema, or checks a file',
    load: async () => (await import('./config.ts')).config,
  },
  {
    name: 'demo',
    summary: 'the webhook at work, without a cluster',
    load: async () => (await import('./demo.ts')).demo,
  },
  {
    name: 'completion',
    summary: 'prints a completion script for bash or zsh',
    load: async () => completionOf(loadAll),
  },
];

function loadAll() {
  return Promise.all(COMMANDS.map(async ({ name, load }) => ({ name, command: await load() })));
}

/** kubectl finds its plugins as `kubectl-plimsoll` and shows them as `kubectl plimsoll`. */
const calledAs = basename(process.argv[1] ?? '').startsWith('kubectl-') ? 'kubectl plimsoll' : 'plimsoll';

const OVERVIEW = `${calledAs}: base volumes sized to their image, memory limits that follow node density

Usage: ${calledAs} COMMAND [flags]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`).join('\n')}

'${calledAs} COMMAND --help' tells more; '${calledAs} --version' the version.
Exit codes: 0 clean; 1 usage or internal error; 2 findings; 3 something could not be evaluated (with --unknown fail).
`;

async function run([name, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.stdout.write(OVERVIEW);
    return name === undefined ? 1 : 0;
  }
  if (name === '--version' || name === 'version') {
    terminal.stdout.write(`plimsoll ${version()}\n`);
    return 0;
  }
  const row = COMMANDS.find((one) => one.name === name);
  if (!row) throw new UsageError(`there is no command '${name}'; '${calledAs} --help' lists them`);
  const command = await row.load();
  if (args.includes('--help') || args.includes('-h')) {
    terminal.stdout.write(`${command.help.replaceAll('plimsoll ', `${calledAs} `)}`);
    return 0;
  }
  return command.run(readFlags(args, command.options, command.positionals), terminal);
}

/** Errors that carry a code are told in one line: they are about the input. Others are ours, and keep their stack. */
function complain(error: unknown): void {
  const isOurs = error instanceof Error && !('code' in error);
  const message = error instanceof Error ? error.message : String(error);
  const text = isOurs ? error.stack : message.replace(/\p{Cc}+/gu, ' ');
  process.stderr.write(`${calledAs}: ${text}\n`);
}

const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());
process.once('SIGTERM', () => interrupt.abort());
// A reader that went away (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  const { stdin, stdout, stderr, env } = process;
  process.exitCode = await run(process.argv.slice(2), {
    stdin,
    stdout,
    stderr,
    env,
    signal: interrupt.signal,
  });
} catch (error) {
  complain(error);
  process.exitCode = 1;
}
