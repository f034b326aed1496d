import type { ObjectReference } from '../object/object.ts';
import type { Report, ReportResult } from './model.ts';

/** The report as an object for machines; every key is always there, but `uid`, which only stored objects have. */
export function reportObject(report: Report) {
  return {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'Report',
    summary: report.summary,
    results: report.results.map(resultObject),
  };
}

function resultObject(result: ReportResult) {
  const { policy, rule, severity, field, message, properties, file, line } = result;
  return {
    policy,
    rule,
    result: result.result,
    severity,
    resource: resourceObject(result.resource),
    field,
    message,
    properties,
    file,
    line,
  };
}

function resourceObject({ apiVersion, kind, namespace, name, uid }: ObjectReference) {
  return { apiVersion, kind, namespace, name, ...(uid === '' ? {} : { uid }) };
}

export function renderJson(report: Report): string {
  return `${JSON.stringify(reportObject(report), null, 2)}\n`;
}
