import { renderHtml } from './html/page.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import type { ReportFormat } from './model.ts';
import { renderOpenReports } from './openreports.ts';
import { renderPolicyReport } from './policyreport.ts';
import { printableReport } from './printable.ts';
import { renderSarif } from './sarif.ts';
import { renderTable } from './table.ts';
import { renderYaml } from './yaml.ts';

/** The formats of `plimsoll report -o`: one row a format. A format is handed printable texts only. */
export const FORMATS: readonly ReportFormat[] = [
  format('table', renderTable),
  format('json', renderJson),
  format('yaml', renderYaml),
  format('markdown', renderMarkdown),
  format('html', renderHtml),
  format('sarif', renderSarif),
  format('junit', renderJunit),
  format('policyreport', renderPolicyReport),
  format('openreports', renderOpenReports),
];

function format(name: string, render: ReportFormat['render']): ReportFormat {
  return { name, render: (report, options) => render(printableReport(report), options) };
}

/** The format of that name; undefined where there is none. */
export function formatNamed(name: string): ReportFormat | undefined {
  return FORMATS.find((format) => format.name === name);
}
