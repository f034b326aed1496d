// Keeps what is generated in step with the code: `npm run docs` writes it, `npm run check` compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createMetrics } from '../src/admission/metrics.ts';
import { printDefaults } from '../src/config/print.ts';
import { CONFIGURATION_SCHEMA } from '../src/config/schema.ts';
import { DEFECTS } from '../src/image/image.ts';
import { RULES } from '../src/report/rules.ts';
import { SOURCE_FAILURES } from '../src/source/source.ts';

const ROOT = resolve(import.meta.dirname, '..');

const table = (head: readonly [string, string], rows: readonly (readonly [string, string])[]) =>
  [`| ${head.join(' | ')} |`, '|---|---|', ...rows.map((row) => `| \`${row[0]}\` | ${row[1]} |`)].join('\n');

const codes = () => `# Codes

Generated from the source; \`npm run docs\` writes it. Codes are stable: scripts may rely on them.

## Rules

${table(
  ['rule', 'meaning'],
  RULES.map(({ code, title, help }) => [code, `${title}. ${help}`]),
)}

## Why an image is unusable

The reasons of an \`unusable-image\`: the image…

${table(['defect', 'the image'], Object.entries(DEFECTS))}

## Why an image is unknown

The reasons of an \`unknown-image\`, besides \`disabled\` (looking is switched off) and \`size-unknown\` (only reading all of it would tell):

${table(['code', 'meaning'], Object.entries(SOURCE_FAILURES))}
`;

const configuration = () => `# Configuration

One YAML file; every setting with its default, as \`plimsoll config print-defaults\` prints it. Generated; \`npm run docs\` writes it.
\`plimsoll config schema\` prints the JSON Schema, \`plimsoll config validate FILE\` tells everything that is wrong with a file.

\`\`\`yaml
${printDefaults()}\`\`\`
`;

const metrics = async () => `# Metrics

Served at \`/metrics\` of the health port, besides those of Node.js itself. Generated; \`npm run docs\` writes it.

${table(
  ['metric', 'meaning'],
  (await createMetrics().registry.getMetricsAsJSON())
    .filter(({ name }) => name.startsWith('plimsoll_'))
    .map(({ name, help }) => [name, help] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1)),
)}

The chart brings alerts and a dashboard over them: \`metrics.prometheusRule.enabled\`, \`metrics.dashboard.enabled\`.
`;

const VALUES_SCHEMA = 'charts/plimsoll/values.schema.json';
/** What the chart sets itself. */
const OF_THE_CHART: readonly string[] = ['listen', 'tls', 'cluster'];

/** The chart's own values are written by hand in it; what a configuration may say is not said twice. */
const valuesSchema = () => {
  const values = JSON.parse(current(VALUES_SCHEMA)) as { properties: object };
  const properties = Object.fromEntries(
    Object.entries(CONFIGURATION_SCHEMA.properties).filter(([name]) => !OF_THE_CHART.includes(name)),
  );
  const config = { type: 'object', additionalProperties: false, properties };
  return `${JSON.stringify({ ...values, properties: { ...values.properties, config } }, null, 2)}\n`;
};

const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/codes.md': codes,
  'docs/configuration.md': configuration,
  'docs/metrics.md': metrics,
  [VALUES_SCHEMA]: valuesSchema,
};

function current(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

for (const [name, make] of Object.entries(GENERATED)) {
  const path = resolve(ROOT, name);
  const text = await make();
  if (process.argv.includes('--write')) writeFileSync(path, text);
  else if (current(path) !== text) {
    console.error(`${name} is out of step with the code: run \`npm run docs\``);
    process.exitCode = 1;
  }
}
