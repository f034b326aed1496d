import { digest } from './digest.ts';
import { resourceLabel } from './grouping.ts';
import type { RenderOptions, Report, ReportResult } from './model.ts';
import { type RuleHelp, ruleOf } from './rules.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** SARIF 2.1.0 3.27.10. */
type Level = 'error' | 'warning' | 'note' | 'none';

const USUAL_LEVELS: Readonly<Record<NonNullable<RuleHelp['usual']>, Level>> = {
  deny: 'error',
  mutate: 'error',
  warn: 'warning',
  info: 'note',
};

/**
 * A SARIF 2.1.0 log with one run. What passed or was skipped is left out: code-scanning services show every result
 * as an alert, whatever its kind says.
 */
export function renderSarif(report: Report, options: RenderOptions): string {
  const results = report.results.filter(({ result }) => result !== 'pass' && result !== 'skip');
  const rules = [...new Map(results.map((result) => [result.rule, ruleOf(result)])).values()];
  const indexes = new Map(rules.map((rule, index) => [rule.code, index]));
  const log = {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'Plimsoll', version: options.version, rules: rules.map(reportingDescriptor) },
        },
        results: results.map((result) => sarifResult(result, indexes.get(result.rule)!)),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function reportingDescriptor({ code, title, help, usual, policy }: RuleHelp) {
  return {
    id: code,
    shortDescription: { text: `${title}.` },
    fullDescription: { text: `${title}. ${help}` },
    help: { text: help },
    defaultConfiguration: { level: usual === null ? 'none' : USUAL_LEVELS[usual] },
    properties: { tags: ['kubernetes', policy] },
  };
}

function sarifResult(result: ReportResult, ruleIndex: number) {
  const { rule, message, resource, field, properties, severity } = result;
  return {
    ruleId: rule,
    ruleIndex,
    level: levelOf(result),
    message: { text: withoutLinks(message === '' ? ruleOf(result).title : message) },
    locations: [
      {
        ...physicalLocation(result),
        logicalLocations: [
          { fullyQualifiedName: [resourceLabel(resource), field].filter((part) => part !== '').join('.') },
        ],
      },
    ],
    // Without the line, so that a result stays the same result when others are added above it.
    partialFingerprints: {
      'plimsoll/v1': digest(resource.apiVersion, resourceLabel(resource), rule, field, result.file ?? ''),
    },
    properties: { severity, ...properties },
  };
}

/** 3.11.6: `[text](target)` is a link even in plain text, unless its brackets are escaped. */
function withoutLinks(text: string): string {
  return text.includes('](') ? text.replace(/[\\[\]]/g, '\\$&') : text;
}

/** What could not be evaluated is no proof of a defect, so it is a warning. */
function levelOf({ result, severity }: ReportResult): Level {
  if (result === 'fail') return 'error';
  return severity === 'info' ? 'note' : 'warning';
}

function physicalLocation({ file, line }: ReportResult) {
  if (file === null || file === '' || file === '-') return {};
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      ...(line === null ? {} : { region: { startLine: line } }),
    },
  };
}

/** A relative reference for a relative path, else a file URI (RFC 8089). */
function uriOf(file: string): string {
  const path = file
    .replace(/^(\.\/)+/, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  return path.startsWith('/') ? `file://${path}` : path;
}
