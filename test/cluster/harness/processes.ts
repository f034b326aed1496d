import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { killAtEnd } from './leftovers.ts';
import { until } from './until.ts';

export interface Program {
  /** For messages. */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Takes its output. */
  readonly logFile: string;
}

export interface Running {
  readonly pid: number;
  /** Fulfilled when it has ended, whatever the reason. */
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  log(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a program that runs until it is stopped, and at most until this process ends. */
export async function startProgram({ name, file, args, env, logFile }: Program): Promise<Running> {
  const log = openSync(logFile, 'a');
  const child = spawn(file, args, { stdio: ['ignore', log, log], env: env ?? process.env });
  closeSync(log);
  await started(child, name);
  const pid = child.pid!;
  const forget = killAtEnd(pid);
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      hasEnded = true;
      forget();
      resolve();
    });
  });
  // A test that forgets to stop it shall end, and not wait for ever.
  child.unref();
  return {
    pid,
    ended,
    hasEnded: () => hasEnded,
    log: () => readFile(logFile, 'utf8'),
    stop: async () => {
      if (hasEnded) return;
      child.ref();
      // Not SIGTERM: an API server drains for long, and nothing that it keeps is wanted.
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Waits until `isReady`; throws with the end of the program's log where it ends first, or is too slow. */
export async function untilReady(
  name: string,
  program: Running,
  isReady: () => Promise<boolean>,
): Promise<void> {
  try {
    await until(`${name} is ready`, async () => {
      if (program.hasEnded()) throw new Error(`${name} ended by itself`);
      return isReady();
    });
  } catch (cause) {
    const log = (await program.log()).split('\n').slice(-25).join('\n');
    throw new Error(`${name} is not ready; its log ends with\n${log}`, { cause });
  }
}

async function started(child: ChildProcess, name: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(new Error(`${name} could not be started`, { cause })));
  });
}
