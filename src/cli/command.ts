import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A mistake of whoever called: told in one line, exit 1. */
export class UsageError extends Error {
  readonly code = 'usage';
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** What a command may touch of its process. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends when the user interrupts. */
  readonly signal: AbortSignal;
}

export type Options = NonNullable<ParseArgsConfig['options']>;

/** One command: a file, and a row in main.ts, which loads it when it is called. */
export interface Command {
  /** Shown by --help: usage, options, examples. */
  readonly help: string;
  readonly options: Options;
  /** How many arguments it takes at the most, and the words that the first of them can be, where it is a closed set. */
  readonly positionals: number;
  readonly words?: readonly string[];
  /** What can follow a flag, where it is a closed set. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Returns the exit code. Throws UsageError. */
  readonly run: (flags: Flags, terminal: Terminal) => Promise<number>;
}

export interface Flags {
  readonly text: (name: string) => string | undefined;
  readonly texts: (name: string) => readonly string[];
  readonly on: (name: string) => boolean;
  readonly positionals: readonly string[];
}

/** Flags and positionals as `options` allows them; every other flag, and more than `positionals`, is a UsageError. */
export function readFlags(args: readonly string[], options: Options, positionals: number): Flags {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: positionals > 0, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split(/\.\s/)[0]!.replace(/\.$/, ''));
  }
  if (parsed.positionals.length > positionals)
    throw new UsageError(`unexpected argument '${parsed.positionals[positionals]}'`);
  const { values } = parsed;
  return {
    text: (name) => values[name] as string | undefined,
    texts: (name) => (values[name] as string[] | undefined) ?? [],
    on: (name) => values[name] === true,
    positionals: parsed.positionals,
  };
}

/** A flag that has to be one of a few words. */
export function choice<const T extends string>(flag: string, value: string, allowed: readonly T[]): T {
  if (!(allowed as readonly string[]).includes(value))
    throw new UsageError(`--${flag} has to be one of ${allowed.join(', ')}, not '${value}'`);
  return value as T;
}

/** A flag that has to be a whole number within bounds; undefined where it is not given. */
export function wholeNumber(
  flag: string,
  value: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (value === undefined) return undefined;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least && number <= most))
    throw new UsageError(`--${flag} has to be a whole number from ${least} to ${most}, not '${value}'`);
  return number;
}
