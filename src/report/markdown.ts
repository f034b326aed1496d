import { resourceLabel, shortMessage } from './grouping.ts';
import type { RenderOptions, Report, ReportResult, ResultKind } from './model.ts';
import { BY_SERIOUSNESS, countsInWords, densityInWords, ignoredInWords } from './summary.ts';

const SIGNS: Readonly<Record<ResultKind, string>> = {
  fail: '❌ fail',
  error: '🚫 error',
  warn: '⚠️ warn',
  pass: '✅ pass',
  skip: '⏭️ skip',
};

/** UTF-16 code units for rows; GitHub takes comments of at most 65536 characters, and refuses longer ones whole. */
const ROWS_BUDGET = 60_000;

/** Everything that starts markup, a table cell, a mention, an issue's number or a formula, and `://`, which starts a link. */
const MARKUP = /[&<>|`*_~[\]\\@#$]|:(?=\/\/)/g;

/** One absurd text must not use up the comment. */
const MAX_TEXT = 1000;

const shortened = (text: string) =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
const escaped = (text: string) =>
  shortened(text).replace(MARKUP, (character) => `&#${character.charCodeAt(0)};`);
/** As an element and not in backticks, of which the text may hold any number. */
const code = (text: string) => (text === '' ? '' : `<code>${escaped(text)}</code>`);

/** A comment for a merge request: the counts, a table of what needs a person, and the rest folded away. */
export function renderMarkdown(report: Report, options: RenderOptions): string {
  const of = (...kinds: readonly ResultKind[]) =>
    BY_SERIOUSNESS.filter((kind) => kinds.includes(kind)).flatMap((kind) =>
      report.results.filter(({ result }) => result === kind),
    );
  const urgent = table(of('fail', 'error', 'warn'), ROWS_BUDGET);
  const rest = of('pass', 'skip');
  const folded = table(rest, ROWS_BUDGET - urgent.length);
  const { pass, skip } = report.summary;
  const counts = countsInWords({ pass, skip, fail: 0, warn: 0, error: 0 });
  return `${[
    `**Plimsoll**: ${countsInWords(report.summary) ?? 'nothing to report'}`,
    ...(urgent === '' ? [] : [urgent]),
    ...(folded === '' ? [] : [`<details><summary>${counts}</summary>`, folded, '</details>']),
    `<sub>${footing(report, options)}</sub>`,
  ].join('\n\n')}\n`;
}

/** Rows up to the budget, and how many are left out; empty where there are none. */
function table(results: readonly ReportResult[], budget: number): string {
  if (results.length === 0) return '';
  const lines = ['| Result | Object | Rule | Message |', '|---|---|---|---|'];
  let left = budget;
  let shown = 0;
  for (const result of results) {
    const line = row(result);
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
    shown++;
  }
  const hidden = results.length - shown;
  return [...lines, ...(hidden === 0 ? [] : ['', `… and ${hidden} more, too many for a comment.`])].join(
    '\n',
  );
}

function row(result: ReportResult): string {
  const { file, line } = result;
  const place = file === null ? '' : `<br>${code(line === null ? file : `${file}:${line}`)}`;
  const object = `${code(resourceLabel(result.resource))}${place}`;
  return `| ${SIGNS[result.result]} | ${object} | ${code(result.rule)} | ${escaped(shortMessage(result))} |`;
}

function footing(report: Report, { version }: RenderOptions): string {
  return [`Plimsoll ${version}`, densityInWords(report.density), ignoredInWords(report.ignored)]
    .filter((part) => part !== null)
    .map(escaped)
    .join('; ');
}
