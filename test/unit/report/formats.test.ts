import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { FORMATS, formatNamed } from '../../../src/report/formats.ts';
import { hostileReport } from '../../fixtures/report/hostile.ts';
import { EMPTY, MIXED, PLAIN } from '../../fixtures/report/mixed.ts';

const EXTENSIONS: Readonly<Record<string, string>> = {
  table: 'txt',
  json: 'json',
  yaml: 'yaml',
  markdown: 'md',
  html: 'html',
  sarif: 'sarif.json',
  junit: 'xml',
  policyreport: 'yaml',
  openreports: 'yaml',
};

t.test('the documented formats are all there', (t) => {
  t.same(FORMATS.map(({ name }) => name).sort(), Object.keys(EXTENSIONS).sort());
  for (const format of FORMATS) t.equal(formatNamed(format.name), format);
  t.equal(formatNamed('toml'), undefined);
  t.end();
});

/** Goldens are for a person to read in review; UPDATE_GOLDEN=1 writes them anew. */
function golden(name: string, text: string): string {
  const file = new URL(`../../golden/report/${name}`, import.meta.url);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text);
  return readFileSync(file, 'utf8');
}

const GOLDENS = [
  ...FORMATS.map(({ name }) => ({ name, format: name, options: PLAIN })),
  { name: 'table-wide', format: 'table', options: { ...PLAIN, width: 140 } },
  { name: 'table-narrow', format: 'table', options: { ...PLAIN, width: 80 } },
  { name: 'table-color', format: 'table', options: { ...PLAIN, width: 140, color: true } },
];
for (const { name, format, options } of GOLDENS)
  t.test(`golden: ${name}`, (t) => {
    const text = formatNamed(format)!.render(MIXED, options);
    t.equal(text, golden(`${name}.${EXTENSIONS[format]}`, text));
    t.end();
  });

for (const { name, render } of FORMATS) {
  t.test(`${name}: an empty report is a whole document`, (t) => {
    t.match(render(EMPTY, PLAIN), /\S\n$/);
    t.end();
  });

  t.test(`${name}: nothing of a hostile text reaches a terminal or breaks an encoding`, (t) => {
    const property = fc.property(hostileReport, (report) => {
      const text = render(report, PLAIN);
      return text.isWellFormed() && !/[^\P{Cc}\n]|\p{Cf}|[\u2028\u2029\uFFFE\uFFFF]/u.test(text);
    });
    t.same(fc.check(property).counterexample, null);
    t.end();
  });

  t.test(`${name}: says the same of the same report`, (t) => {
    t.equal(render(MIXED, PLAIN), render(structuredClone(MIXED), { ...PLAIN }));
    t.end();
  });
}
