import { volumeFigures } from '../figures.ts';
import type { RenderOptions, Report } from '../model.ts';
import { BY_SERIOUSNESS, densityInWords, ignoredInWords } from '../summary.ts';
import { floorsSection } from './floors.ts';
import { html, type Markup } from './markup.ts';
import { resultsSection } from './results.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';
import { volumesSection } from './volumes.ts';

/** Nothing may be loaded from anywhere, whatever a text in the report holds. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** One self-contained page: counts, a bar for each volume, the floors' curves, and a table to filter. */
export function renderHtml(report: Report, options: RenderOptions): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Plimsoll report</title>
<style>${constant(STYLE)}</style>
</head>
<body>
<header>
<h1><svg viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="10"/><path d="M1 16h30"/></svg>Plimsoll report</h1>
<p class="faint">${about(report, options)}</p>
<ul class="counts">
${BY_SERIOUSNESS.map(
  (
    kind,
  ) => html`<li class="${kind}${report.summary[kind] === 0 ? ' none' : ''}"><b>${report.summary[kind]}</b> ${kind}</li>
`,
)}</ul>
</header>
<main>
${volumesSection(volumeFigures(report))}
${floorsSection(report)}
${resultsSection(report)}
</main>
<script>${constant(SCRIPT)}</script>
</body>
</html>
`.markup;
}

/** Our own constants, in elements where HTML knows no escapes. */
const constant = (markup: string): Markup => ({ markup });

function about(report: Report, { at, version }: RenderOptions): Markup {
  const rest = [`Plimsoll ${version}`, densityInWords(report.density), ignoredInWords(report.ignored)];
  return html`<time datetime="${at}">${minuteOf(at)}</time> · ${rest.filter((part) => part !== null).join(' · ')}`;
}

/** `2026-11-30 12:00 UTC`. */
function minuteOf(at: string): string {
  return `${new Date(at).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')} UTC`;
}
