import t from 'tap';
import { parse } from 'yaml';
import { DEFAULT_CONFIGURATION, parseConfiguration } from '../../../src/config/parse.ts';
import { printDefaults } from '../../../src/config/print.ts';
import { CONFIGURATION_SCHEMA } from '../../../src/config/schema.ts';
import { settingsOf } from '../../../src/config/settings.ts';

t.test('the printed defaults are a valid configuration that says the same', (t) => {
  t.same(parseConfiguration(printDefaults()), DEFAULT_CONFIGURATION);
  settingsOf(parseConfiguration(printDefaults()));
  t.end();
});

t.test('nothing is left out but what has no default', (t) => {
  t.same(parse(printDefaults()), DEFAULT_CONFIGURATION);
  for (const name of ['clientCAFile', 'allowance', 'proxy', 'pods'])
    t.match(printDefaults(), new RegExp(`^ +# ${name}:$`, 'm'));
  t.end();
});

/** The comment lines that follow `name:`, as what they would be without their `#`. */
function exampleOf(name: string): string {
  const lines = printDefaults().split('\n');
  const start = lines.findIndex((line) => line.trim().startsWith(`${name}: []`));
  const comments = lines.slice(start + 1);
  const end = comments.findIndex((line) => !/^\s+# /.test(line));
  return comments
    .slice(0, end)
    .filter((line) => !/^\s+# [A-Z]/.test(line))
    .map((line) => line.replace(/^\s+# /, ''))
    .join('\n');
}

const EXAMPLES = [
  { name: 'exemptions', wrap: (rows: unknown) => ({ exemptions: rows }), count: 2 },
  { name: 'additional', wrap: (rows: unknown) => ({ memoryFloor: { additional: rows } }), count: 1 },
];

for (const { name, wrap, count } of EXAMPLES)
  t.test(`the commented example of ${name} is valid once its comments are taken away`, (t) => {
    const rows = parse(exampleOf(name)) as unknown[];
    t.equal(rows.length, count);
    const { apiVersion, kind } = DEFAULT_CONFIGURATION;
    settingsOf(parseConfiguration(JSON.stringify({ apiVersion, kind, ...wrap(rows) })));
    t.end();
  });

t.test('every field of the schema is printed', (t) => {
  const printed = printDefaults();
  const walk = (node: { properties?: Record<string, object> }) => {
    for (const [name, child] of Object.entries(node.properties ?? {})) {
      t.ok(new RegExp(`\\b${name}\\b`).test(printed), name);
      walk(child);
    }
  };
  walk(CONFIGURATION_SCHEMA);
  t.end();
});
