#!/usr/bin/env node
import { basename } from 'node:path';
import { certs } from './certs.ts';
import { type Command, readFlags, type Terminal, UsageError } from './command.ts';
import { completionOf } from './completion.ts';
import { config } from './config.ts';
import { demo } from './demo.ts';
import { floors } from './floors.ts';
import { probe } from './probe.ts';
import { report } from './report.ts';
import { serve } from './serve.ts';
import { version } from './version.ts';

const COMMANDS: readonly Command[] = [
  serve,
  report,
  probe,
  floors,
  certs,
  config,
  demo,
  completionOf(() => COMMANDS),
];

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
  const command = COMMANDS.find((one) => one.name === name);
  if (!command) throw new UsageError(`there is no command '${name}'; '${calledAs} --help' lists them`);
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
