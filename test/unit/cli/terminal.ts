import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Command, readFlags, UsageError } from '../../../src/cli/command.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function collector(): Writable & { text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });
  return Object.assign(stream, { text: () => chunks.join('') });
}

/** Runs a command in this process; a UsageError is told as main.ts tells it. */
export async function run(
  command: Command,
  args: readonly string[],
  { stdin = '', signal = new AbortController().signal }: { stdin?: string; signal?: AbortSignal } = {},
): Promise<Ran> {
  const [stdout, stderr] = [collector(), collector()];
  const told = (code: number) => ({ code, stdout: stdout.text(), stderr: stderr.text() });
  try {
    return told(
      await command.run(readFlags(args, command.options, command.positionals), {
        stdin: Readable.from([stdin]),
        stdout,
        stderr,
        env: {},
        signal,
      }),
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...told(1), stderr: `${error.message}\n` };
  }
}

export const MAIN = resolve(import.meta.dirname, '../../../src/cli/main.ts');

/** Compiled code of earlier runs, which start the program in half the time. */
const CACHE = join(tmpdir(), 'plimsoll-test-compiled');

/** Programs are slow to start, so only two of them do at a time. */
export async function inPairs<T>(rows: readonly T[], work: (row: T) => Promise<void>): Promise<void> {
  const waiting = [...rows];
  const next = async (): Promise<void> => {
    const row = waiting.shift();
    if (row === undefined) return;
    await work(row);
    return next();
  };
  await Promise.all([next(), next()]);
}

/** Runs the real program in a process of its own. */
export async function runProgram(args: readonly string[], stdin = '', main = MAIN): Promise<Ran> {
  const env = { ...process.env, NO_COLOR: '1', NODE_COMPILE_CACHE: CACHE };
  const child = spawn(process.execPath, [main, ...args], { env });
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: code as number, stdout, stderr };
}
