import { at, listAt, textAt } from '../object/object.ts';
import { type Report, type ReportResult, summarize } from './model.ts';

/** What makes a result the same one: what was found, of which object. Messages and figures may have changed. */
function keyOf(result: unknown): string {
  const resource = at(result, 'resource');
  return JSON.stringify([
    textAt(result, 'policy'),
    textAt(result, 'rule'),
    at(result, 'result'),
    textAt(result, 'field'),
    ...['kind', 'namespace', 'name'].map((name) => textAt(resource, name)),
  ]);
}

/** The report without what was already in a previous one (parsed from `-o json`). */
export function onlyNew(report: Report, previous: unknown): Report {
  const known = new Set(listAt(previous, 'results').map(keyOf));
  const results = report.results.filter((result: ReportResult) => !known.has(keyOf(result)));
  return { ...report, results, summary: summarize(results) };
}
