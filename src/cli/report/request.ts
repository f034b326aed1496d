import { FORMATS, formatNamed } from '../../report/formats.ts';
import type { ReportFormat } from '../../report/model.ts';
import { choice, type Flags, type Terminal, UsageError, wholeNumber } from '../command.ts';
import { FAIL_LEVELS } from './making.ts';
import { WRITE_CHOICES } from './writing.ts';

export const FLAGS = {
  filename: { type: 'string', short: 'f', multiple: true },
  cluster: { type: 'boolean' },
  context: { type: 'string' },
  selector: { type: 'string', short: 'l' },
  output: { type: 'string', short: 'o' },
  write: { type: 'string' },
  config: { type: 'string' },
  namespace: { type: 'string' },
  density: { type: 'string' },
  previous: { type: 'string' },
  'fail-level': { type: 'string' },
  unknown: { type: 'string' },
} as const;

const UNKNOWN_CHOICES = ['ignore', 'fail'] as const;

/** The flags that take one of a few words. */
export const VALUES = {
  output: FORMATS.map(({ name }) => name),
  write: WRITE_CHOICES,
  'fail-level': FAIL_LEVELS,
  unknown: UNKNOWN_CHOICES,
} as const;

export const FORMAT_NAMES = VALUES.output.join(', ');

/** What is asked for, as far as the flags alone can tell. */
export interface ReportRequest {
  readonly flags: Flags;
  readonly paths: readonly string[];
  /** Null: none is printed. */
  readonly format: ReportFormat | null;
  /** Which API to write to; undefined: none. */
  readonly write: string | undefined;
  readonly density: number | undefined;
  readonly failLevel: (typeof FAIL_LEVELS)[number];
  readonly failOnUnknown: boolean;
}

/** Throws UsageError. */
export function readRequest(flags: Flags, terminal: Terminal): ReportRequest {
  const written = flags.text('write');
  const write = written === undefined ? undefined : choice('write', written, WRITE_CHOICES);
  const paths = flags.texts('filename');
  const density = wholeNumber('density', flags.text('density'), 0, 5000);
  if (flags.on('cluster') && paths.length > 0) throw new UsageError('--cluster and -f exclude each other');
  if (!flags.on('cluster') && paths.length === 0)
    throw new UsageError("report needs -f PATH, -f - or --cluster; see 'plimsoll report --help'");
  if (write !== undefined && !flags.on('cluster')) throw new UsageError('--write needs --cluster');
  if (write !== undefined && density !== undefined)
    throw new UsageError('--write and --density exclude each other: it would write what is not so');
  return {
    flags,
    paths,
    format: readFormat(flags, write, terminal),
    write,
    density,
    failLevel: choice('fail-level', flags.text('fail-level') ?? 'error', FAIL_LEVELS),
    failOnUnknown: choice('unknown', flags.text('unknown') ?? 'ignore', UNKNOWN_CHOICES) === 'fail',
  };
}

function readFormat(flags: Flags, write: string | undefined, { stdout }: Terminal): ReportFormat | null {
  const name = flags.text('output');
  if (name === undefined && write !== undefined) return null;
  const format = formatNamed(name ?? (stdout.isTTY === true ? 'table' : 'json'));
  if (!format) throw new UsageError(`--output has to be one of ${FORMAT_NAMES}`);
  return format;
}
