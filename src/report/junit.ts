import { assertNever } from '../object/object.ts';
import { groupResults, type ResultGroup, resourceLabel } from './grouping.ts';
import type { RenderOptions, Report, ReportResult } from './model.ts';
import { densityInWords } from './summary.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/**
 * JUnit XML that both published schemas accept, Ant's and the one of Jenkins: a suite for each file or namespace, a
 * case for each result. The format has no warnings, so they are skipped cases: seen, but no broken build.
 */
export function renderJunit(report: Report, options: RenderOptions): string {
  const suites = groupResults(report.results).map((group, index) => suite(group, index, report, options));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function suite({ title, results }: ResultGroup, id: number, report: Report, options: RenderOptions): string {
  const count = (...kinds: readonly string[]) =>
    results.filter(({ result }) => kinds.includes(result)).length;
  const properties = [
    ['plimsoll.version', options.version],
    ['plimsoll.density', densityInWords(report.density)],
  ].map(([name, value]) => `      <property name="${name}" value="${escaped(value!)}"/>\n`);
  const attributes = [
    `name="${escaped(title)}"`,
    `package="plimsoll" id="${id}" hostname="localhost" timestamp="${secondsOf(options.at)}" time="0"`,
    `tests="${results.length}" failures="${count('fail')}" errors="${count('error')}" skipped="${count('skip', 'warn')}"`,
  ];
  return (
    `  <testsuite ${attributes.join(' ')}>\n` +
    `    <properties>\n${properties.join('')}    </properties>\n` +
    results.map(testcase).join('') +
    '    <system-out/>\n    <system-err/>\n  </testsuite>\n'
  );
}

/** Ant's schema takes UTC seconds with neither fraction nor zone. */
function secondsOf(at: string): string {
  return new Date(at).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
}

function testcase(result: ReportResult): string {
  const name = `${resourceLabel(result.resource)}: ${[result.rule, result.field].filter((part) => part !== '').join(' ')}`;
  const start = `    <testcase classname="plimsoll.${result.policy}" name="${escaped(name)}" time="0"`;
  const outcome = outcomeOf(result);
  return outcome === null ? `${start}/>\n` : `${start}>\n      ${outcome}\n    </testcase>\n`;
}

function outcomeOf(result: ReportResult): string | null {
  const message = escaped(result.message);
  const type = escaped(result.rule);
  switch (result.result) {
    case 'pass':
      return null;
    case 'skip':
      return `<skipped message="${message}"/>`;
    case 'warn':
      return `<skipped message="warning: ${message}"/>`;
    case 'fail':
      return `<failure type="${type}" message="${message}">${escaped(detailsOf(result))}</failure>`;
    case 'error':
      return `<error type="${type}" message="${message}">${escaped(detailsOf(result))}</error>`;
    default:
      return assertNever(result.result);
  }
}

function detailsOf({ file, line, properties }: ReportResult): string {
  const place = file === null ? [] : [line === null ? file : `${file}:${line}`];
  return [...place, ...Object.entries(properties).map(([name, value]) => `${name}: ${value}`)].join('\n');
}
