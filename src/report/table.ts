import { groupResults, resourceLabel, shortMessage } from './grouping.ts';
import type { RenderOptions, Report, ReportResult, ResultKind } from './model.ts';
import { countsInWords, densityInWords, ignoredInWords } from './summary.ts';
import { padded, textWidth, wrapped } from './wrap.ts';

/** Select Graphic Rendition parameters (ECMA-48 8.3.117). */
const SGR: Readonly<Record<ResultKind | 'title' | 'faint', string>> = {
  fail: '1;31',
  error: '35',
  warn: '33',
  pass: '32',
  skip: '2',
  title: '1',
  faint: '2',
};
type Paint = (text: string, style: keyof typeof SGR) => string;

const RESULT_WIDTH = 'error'.length;
const GAP = '  ';
/** A message narrower than this is unreadable beside the columns: it goes below them. */
const MIN_MESSAGE_WIDTH = 40;
/** One absurdly long name must not push every message off the screen. */
const MAX_RESOURCE_WIDTH = 48;

interface Columns {
  readonly line: number;
  readonly resource: number;
  readonly rule: number;
  /** Columns for the message; null where lines are not wrapped. */
  readonly message: number | null;
  readonly beside: boolean;
}

/** A table for people: a group for each file or namespace, a line for each result, and the counts at the end. */
export function renderTable(report: Report, options: RenderOptions): string {
  const paint: Paint = options.color
    ? (text, style) => `\u001b[${SGR[style]}m${text}\u001b[0m`
    : (text) => text;
  const columns = measure(report.results, options.width);
  const groups = groupResults(report.results).map(({ title, results }) =>
    [paint(title, 'title'), ...results.flatMap((result) => resultLines(result, columns, paint))].join('\n'),
  );
  return `${[...groups, closing(report, paint)].join('\n\n')}\n`;
}

function measure(results: readonly ReportResult[], width: number | null): Columns {
  const widest = (texts: readonly string[]) =>
    texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
  const line = widest(results.map(lineNumber));
  const resource = Math.min(
    MAX_RESOURCE_WIDTH,
    widest(results.map(({ resource }) => resourceLabel(resource))),
  );
  const rule = Math.min(MAX_RESOURCE_WIDTH, widest(results.map(({ rule }) => rule)));
  if (width === null) return { line, resource, rule, message: null, beside: true };
  const left = textWidth(lead('', line)) + RESULT_WIDTH + resource + rule + 3 * GAP.length;
  const beside = width - left >= MIN_MESSAGE_WIDTH;
  const message = beside ? width - left : Math.max(MIN_MESSAGE_WIDTH / 2, width - 2 * GAP.length);
  return { line, resource, rule, message, beside };
}

const lineNumber = ({ line }: ReportResult) => (line === null ? '' : String(line));
const lead = (text: string, width: number) => (width === 0 ? GAP : `${GAP}${text.padStart(width)}${GAP}`);

function resultLines(result: ReportResult, columns: Columns, paint: Paint): string[] {
  const number = lead(lineNumber(result), columns.line);
  const label = resourceLabel(result.resource);
  const start = [
    paint(number, 'faint') + paint(padded(result.result, RESULT_WIDTH), result.result),
    padded(label, columns.resource),
    padded(result.rule, columns.rule),
  ].join(GAP);
  const text = shortMessage(result);
  if (columns.message === null) return [`${start}${GAP}${text}`.trimEnd()];
  const message = wrapped(text, columns.message);
  const fits = textWidth(label) <= columns.resource && textWidth(result.rule) <= columns.rule;
  if (!columns.beside || !fits) return [start.trimEnd(), ...message.map((line) => GAP + GAP + line)];
  const left = textWidth(number) + RESULT_WIDTH + columns.resource + columns.rule + 3 * GAP.length;
  const [first, ...more] = message;
  return [`${start}${GAP}${first}`.trimEnd(), ...more.map((line) => ' '.repeat(left) + line)];
}

function closing(report: Report, paint: Paint): string {
  const counts = countsInWords(report.summary, paint) ?? 'Nothing to report';
  return [counts, densityInWords(report.density), ignoredInWords(report.ignored)]
    .filter((part) => part !== null)
    .join('; ');
}
