import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { validateXML } from 'xmllint-wasm';
import { renderJunit } from '../../../src/report/junit.ts';
import { printableReport } from '../../../src/report/printable.ts';
import { hostileReport } from '../../fixtures/report/hostile.ts';
import { EMPTY, MIXED, PLAIN } from '../../fixtures/report/mixed.ts';

const schema = readFileSync(new URL('../../fixtures/schemas/junit.xsd', import.meta.url), 'utf8');

async function errorsOf(...documents: readonly string[]): Promise<string[]> {
  const xml = documents.map((contents, index) => ({ fileName: `${index}.xml`, contents }));
  const { errors } = await validateXML({ xml, schema });
  return errors.map(({ rawMessage }) => rawMessage);
}

for (const [name, report] of Object.entries({ mixed: MIXED, empty: EMPTY }))
  t.test(`the ${name} report is valid`, async (t) => {
    t.same(await errorsOf(renderJunit(report, PLAIN)), []);
  });

t.test('the schema refuses what is not JUnit', async (t) => {
  const document = renderJunit(MIXED, PLAIN);
  t.ok((await errorsOf(document.replace('<system-out/>', ''))).length > 0);
  t.ok((await errorsOf(document.replace('&quot;', '"'))).length > 0);
});

t.test('any texts keep it valid', async (t) => {
  const reports = fc.sample(hostileReport, 100);
  t.same(await errorsOf(...reports.map((report) => renderJunit(printableReport(report), PLAIN))), []);
});

t.test('counts of a suite are those of its cases', (t) => {
  const [first = ''] = renderJunit(MIXED, PLAIN).split('</testsuite>');
  const count = (pattern: RegExp) => first.match(pattern)?.length ?? 0;
  t.match(first, /tests="6" failures="2" errors="1" skipped="2"/);
  t.equal(count(/<testcase /g), 6);
  t.equal(count(/<failure /g), 2);
  t.equal(count(/<error /g), 1);
  t.equal(count(/<skipped /g), 2);
  t.end();
});

t.test('a warning is seen but breaks no build', (t) => {
  t.match(renderJunit(MIXED, PLAIN), /<skipped message="warning: DataVolume images\/alpine: /);
  t.end();
});

t.test('the time is told in UTC without a zone', (t) => {
  t.match(
    renderJunit(MIXED, { ...PLAIN, at: '2026-11-30T23:59:59.999-01:00' }),
    /timestamp="2026-12-01T00:59:59"/,
  );
  t.end();
});
