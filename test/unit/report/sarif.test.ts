import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import t from 'tap';
import type { ReportResult } from '../../../src/report/model.ts';
import { printableReport } from '../../../src/report/printable.ts';
import { renderSarif } from '../../../src/report/sarif.ts';
import { hostileReport } from '../../fixtures/report/hostile.ts';
import { EMPTY, MIXED, PLAIN } from '../../fixtures/report/mixed.ts';

const schemaFile = createRequire(import.meta.url).resolve(
  '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json',
);
// It is written for draft 4, and has nothing that later drafts read otherwise but its own names; one of its patterns
// is none in Unicode mode.
const schema = { ...JSON.parse(readFileSync(schemaFile, 'utf8')), $schema: undefined, id: undefined };
const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);

const runOf = (results: readonly ReportResult[]) =>
  JSON.parse(renderSarif({ ...MIXED, results }, PLAIN)).runs[0];
const changed = (change: Partial<ReportResult>) => ({ ...MIXED.results[0]!, ...change });

for (const [name, report] of Object.entries({ mixed: MIXED, empty: EMPTY }))
  t.test(`the ${name} report is valid against the published schema`, (t) => {
    validate(JSON.parse(renderSarif(report, PLAIN)));
    t.same(validate.errors, null);
    t.end();
  });

t.test('the schema refuses what is not SARIF', (t) => {
  const log = JSON.parse(renderSarif(MIXED, PLAIN));
  log.runs[0].results[0].level = 'fatal';
  t.notOk(validate(log));
  t.end();
});

t.test('any texts keep it valid', (t) => {
  const property = fc.property(hostileReport, (report) =>
    validate(JSON.parse(renderSarif(printableReport(report), PLAIN))),
  );
  t.same(fc.check(property).counterexample, null);
  t.end();
});

const LEVELS = [
  { name: 'fail', change: { result: 'fail', severity: 'high' }, level: 'error' },
  { name: 'warn', change: { result: 'warn', severity: 'low' }, level: 'warning' },
  { name: 'what could not be evaluated', change: { result: 'error', severity: 'low' }, level: 'warning' },
  { name: 'a remark', change: { result: 'warn', severity: 'info' }, level: 'note' },
  { name: 'pass', change: { result: 'pass' }, level: undefined },
  { name: 'skip', change: { result: 'skip' }, level: undefined },
] as const;
for (const { name, change, level } of LEVELS)
  t.test(`level: ${name}`, (t) => {
    t.equal(runOf([changed(change)]).results[0]?.level, level);
    t.end();
  });

t.test('each rule that is named is described once, with help', (t) => {
  const { tool, results } = runOf(MIXED.results);
  for (const { ruleId, ruleIndex } of results) t.equal(tool.driver.rules[ruleIndex].id, ruleId);
  t.equal(new Set(tool.driver.rules.map(({ id }: { id: string }) => id)).size, tool.driver.rules.length);
  for (const rule of tool.driver.rules) t.ok(rule.help.text.length > 20, rule.id);
  t.end();
});

const PLACES = [
  { name: 'relative', file: 'base/images.yaml', uri: 'base/images.yaml' },
  { name: 'from here', file: './a/b.yaml', uri: 'a/b.yaml' },
  { name: 'absolute', file: '/srv/a b.yaml', uri: 'file:///srv/a%20b.yaml' },
  { name: 'with characters of URIs', file: 'a:b/c#d?e%.yaml', uri: 'a%3Ab/c%23d%3Fe%25.yaml' },
  { name: 'standard input', file: '-', uri: undefined },
  { name: 'the cluster', file: null, uri: undefined },
];
for (const { name, file, uri } of PLACES)
  t.test(`place: ${name}`, (t) => {
    const [location] = runOf([changed({ file })]).results[0].locations;
    t.equal(location.physicalLocation?.artifactLocation.uri, uri);
    t.equal(
      location.logicalLocations[0].fullyQualifiedName,
      'DataVolume/images/debian-12.spec.storage.resources.requests.storage',
    );
    t.end();
  });

t.test('the line is given where it is known', (t) => {
  t.same(runOf([changed({ line: 7 })]).results[0].locations[0].physicalLocation.region, { startLine: 7 });
  t.equal(runOf([changed({ line: null })]).results[0].locations[0].physicalLocation.region, undefined);
  t.end();
});

t.test('the fingerprint outlives a change of line and message, but not of the rule', (t) => {
  const fingerprint = (change: Partial<ReportResult>) =>
    runOf([changed(change)]).results[0].partialFingerprints['plimsoll/v1'];
  t.equal(fingerprint({ line: 99, message: 'other' }), fingerprint({}));
  t.ok(fingerprint({ rule: 'tight' }) !== fingerprint({}));
  t.end();
});

t.test('a text cannot become a link', (t) => {
  t.equal(runOf([changed({ message: 'a [b](c)' })]).results[0].message.text, 'a \\[b\\](c)');
  t.equal(runOf([changed({ message: 'containers[x].y' })]).results[0].message.text, 'containers[x].y');
  t.end();
});
