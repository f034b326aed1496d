import fc from 'fast-check';
import t from 'tap';
import { groupResults } from '../../../src/report/grouping.ts';
import { printableReport } from '../../../src/report/printable.ts';
import { renderTable } from '../../../src/report/table.ts';
import { hostileReport } from '../../fixtures/report/hostile.ts';
import { EMPTY, MIXED, PLAIN } from '../../fixtures/report/mixed.ts';

const lines = (text: string) => text.trimEnd().split('\n');

t.test('without a terminal every result is one whole line', (t) => {
  const rows = lines(renderTable(MIXED, PLAIN)).filter((line) =>
    /^ +\d* *(pass|fail|warn|error|skip) /.test(line),
  );
  t.equal(rows.length, MIXED.results.length);
  t.match(
    rows[0],
    /^ {3}3 {2}fail {3}DataVolume\/images\/debian-12 +oversized +spec\.storage.*Plimsoll's configuration\.$/,
  );
  t.end();
});

for (const width of [140, 100, 80])
  t.test(`on ${width} columns no result is wider`, (t) => {
    const text = lines(renderTable(MIXED, { ...PLAIN, width })).slice(0, -1);
    t.same(
      text.filter((line) => line.length > width),
      [],
    );
    t.end();
  });

t.test('on very few columns messages are still wrapped', (t) => {
  const messages = lines(renderTable(MIXED, { ...PLAIN, width: 40 })).filter((line) => /^ {4}\S/.test(line));
  t.ok(messages.length > MIXED.results.length);
  t.same(
    messages.filter((line) => line.length > 40),
    [],
  );
  t.end();
});

t.test('messages stand beside the columns where there is room, else below', (t) => {
  const wide = renderTable(MIXED, { ...PLAIN, width: 140 });
  const narrow = renderTable(MIXED, { ...PLAIN, width: 80 });
  t.match(wide, /volume-size {4}4Gi fits the image\n/);
  t.match(narrow, /volume-size\n {4}4Gi fits the image\n/);
  t.end();
});

t.test('a name longer than its column has its message below', (t) => {
  const name = 'x'.repeat(60);
  const result = {
    ...MIXED.results[5]!,
    resource: { ...MIXED.results[5]!.resource, name },
    message: 'short',
  };
  const table = renderTable({ ...MIXED, results: [result] }, { ...PLAIN, width: 140 });
  t.match(table, new RegExp(`${name} {2}volume-size\n {4}short\n`));
  t.end();
});

t.test('there are escape sequences only where color is asked for, and each is closed', (t) => {
  const ESC = String.fromCharCode(27);
  t.notOk(renderTable(MIXED, PLAIN).includes(ESC));
  const colored = renderTable(MIXED, { ...PLAIN, color: true });
  const sequences = colored
    .split(`${ESC}[`)
    .slice(1)
    .map((part) => part.slice(0, part.indexOf('m')));
  t.ok(sequences.length > MIXED.results.length);
  for (const [index, sequence] of sequences.entries()) t.equal(sequence === '0', index % 2 === 1);
  t.match(colored, `${ESC}[1;31mfail `);
  t.end();
});

t.test('color changes nothing but the color', (t) => {
  const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
  for (const width of [null, 140, 80]) {
    const plain = lines(renderTable(MIXED, { ...PLAIN, width }));
    const colored = lines(renderTable(MIXED, { ...PLAIN, width, color: true }).replace(escapes, ''));
    t.same(
      colored.map((line) => line.trimEnd()),
      plain,
    );
  }
  t.end();
});

t.test('ends with the counts, the density and what was ignored', (t) => {
  t.equal(
    lines(renderTable(MIXED, PLAIN)).at(-1),
    '3 failed, 2 errors, 2 warnings, 2 passed, 2 skipped; 90 pods a node (the most that a node has held); ' +
      '2 documents are no Kubernetes objects',
  );
  t.equal(renderTable(EMPTY, PLAIN), 'Nothing to report; 30 pods a node (the least that is planned for)\n');
  t.end();
});

t.test('no text can add a line or a control character', (t) => {
  const property = fc.property(hostileReport, (hostile) => {
    const report = printableReport(hostile);
    const groups = groupResults(report.results).length;
    const table = renderTable(report, PLAIN);
    return table.split('\n').length === 2 * groups + report.results.length + 2 && !/[^\P{Cc}\n]/u.test(table);
  });
  t.same(fc.check(property).counterexample, null);
  t.end();
});
