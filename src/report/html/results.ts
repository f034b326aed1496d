import { resourceLabel, shortMessage } from '../grouping.ts';
import type { Report, ReportResult } from '../model.ts';
import { BY_SERIOUSNESS } from '../summary.ts';
import { html, type Markup } from './markup.ts';

/**
 * Every result, with a box to filter and a switch for each kind. The controls need the script and stay hidden without
 * it. Roles are spelled out, for the narrow layout takes the rows out of the table's own display.
 */
export function resultsSection(report: Report): Markup {
  const kinds = BY_SERIOUSNESS.filter((kind) => report.summary[kind] > 0);
  return html`<section aria-labelledby="results">
<h2 id="results">Results</h2>
<form id="controls" hidden>
<label>Filter <input type="search" id="filter" placeholder="name, rule or text" autocomplete="off"></label>
<fieldset><legend>Show</legend>
${kinds.map(
  (kind) => html`<label class="toggle ${kind}"><input type="checkbox" value="${kind}" checked> ${kind}</label>
`,
)}</fieldset>
<output id="shown" aria-live="polite"></output>
</form>
<table role="table" aria-labelledby="results">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Result</th><th role="columnheader" scope="col">Object</th><th role="columnheader" scope="col">Rule</th><th role="columnheader" scope="col">Message</th></tr></thead>
<tbody role="rowgroup">
${report.results.map(row)}</tbody>
</table>
</section>`;
}

function row(result: ReportResult): Markup {
  const { file, line, resource, rule } = result;
  const place = file === null ? '' : line === null ? file : `${file}:${line}`;
  return html`<tr role="row" data-result="${result.result}"><td role="cell"><span class="badge ${result.result}">${result.result}</span></td><td role="cell"><b>${resourceLabel(resource)}</b>${place === '' ? '' : html`<br><span class="faint">${place}</span>`}</td><td role="cell"><code>${rule}</code></td><td role="cell">${shortMessage(result)}</td></tr>
`;
}
