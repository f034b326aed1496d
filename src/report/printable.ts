import type { ObjectReference } from '../object/object.ts';
import type { Report, ReportResult } from './model.ts';

const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
/**
 * Controls (a terminal obeys them), format characters (they reorder or hide what follows), and the two
 * noncharacters that no XML document may hold.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\uFFFE\uFFFF]/gu;

/** Most texts are of these characters alone, and need not be looked at any further. */
const PLAIN = /^[ -~]*$/;

/** The text on one line, with U+FFFD for what no reader should be shown: manifests may hold anything. */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.toWellFormed().replace(LINE_BREAKS, ' ').replace(UNPRINTABLE, '\uFFFD');
}

/** The report with every text printable, so that a format has only its own syntax to escape. */
export function printableReport(report: Report): Report {
  return {
    ...report,
    results: report.results.map(printableResult),
    density: { ...report.density, origin: printable(report.density.origin) },
    curves: report.curves.map((curve) => ({ ...curve, target: printable(curve.target) })),
  };
}

function printableResult(result: ReportResult): ReportResult {
  const { rule, field, message, file } = result;
  return {
    ...result,
    rule: printable(rule),
    resource: printableReference(result.resource),
    field: printable(field),
    message: printable(message),
    properties: printableProperties(result.properties),
    file: file === null ? null : printable(file),
  };
}

function printableProperties(properties: ReportResult['properties']): ReportResult['properties'] {
  const entries = Object.entries(properties);
  if (entries.every(([key, value]) => PLAIN.test(key) && PLAIN.test(value))) return properties;
  return Object.fromEntries(entries.map(([key, value]) => [printable(key), printable(value)]));
}

function printableReference(resource: ObjectReference): ObjectReference {
  const { apiVersion, kind, namespace, name, uid } = resource;
  if ([apiVersion, kind, namespace, name, uid].every((text) => PLAIN.test(text))) return resource;
  return {
    apiVersion: printable(apiVersion),
    kind: printable(kind),
    namespace: printable(namespace),
    name: printable(name),
    uid: printable(uid),
  };
}
