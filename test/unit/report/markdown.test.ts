import fc from 'fast-check';
import t from 'tap';
import { renderMarkdown } from '../../../src/report/markdown.ts';
import type { ReportResult } from '../../../src/report/model.ts';
import { summarize } from '../../../src/report/model.ts';
import { printableReport } from '../../../src/report/printable.ts';
import { hostileReport } from '../../fixtures/report/hostile.ts';
import { EMPTY, MIXED, PLAIN } from '../../fixtures/report/mixed.ts';

const of = (results: readonly ReportResult[]) => ({ ...MIXED, results, summary: summarize(results) });
const rows = (text: string) =>
  text.split('\n').filter((line) => /^\| \S+ (pass|fail|warn|error|skip) /.test(line));

t.test('what needs a person comes first, the rest is folded away', (t) => {
  const [urgent = '', folded = ''] = renderMarkdown(MIXED, PLAIN).split('<details>');
  const kinds = (text: string) => rows(text).map((row) => row.split(' ')[2]);
  t.same(kinds(urgent), ['fail', 'fail', 'fail', 'error', 'error', 'warn', 'warn']);
  t.same(kinds(folded), ['pass', 'pass', 'skip', 'skip']);
  t.match(folded, /<summary>2 passed, 2 skipped<\/summary>\n\n\| Result/);
  t.end();
});

t.test('sections without results are left out', (t) => {
  t.notMatch(renderMarkdown(EMPTY, PLAIN), /\||<details>/);
  t.match(renderMarkdown(EMPTY, PLAIN), /^\*\*Plimsoll\*\*: nothing to report\n/);
  t.notMatch(renderMarkdown(of(MIXED.results.filter(({ result }) => result === 'fail')), PLAIN), /<details>/);
  t.end();
});

const ESCAPES = [
  { name: 'a pipe', text: 'a|b', expected: 'a&#124;b' },
  { name: 'backticks', text: '`a`', expected: '&#96;a&#96;' },
  { name: 'HTML', text: '<b>&amp;', expected: '&#60;b&#62;&#38;amp;' },
  { name: 'emphasis', text: '*a* _b_ ~c~', expected: '&#42;a&#42; &#95;b&#95; &#126;c&#126;' },
  { name: 'a link', text: '[a](http://b)', expected: '&#91;a&#93;(http&#58;//b)' },
  { name: 'a mention and an issue', text: '@a #1', expected: '&#64;a &#35;1' },
  { name: 'plain text', text: 'asks for 30Gi: 3x (of 10Gi)', expected: 'asks for 30Gi: 3x (of 10Gi)' },
];
for (const { name, text, expected } of ESCAPES)
  t.test(`escapes ${name}`, (t) => {
    const [row = ''] = rows(renderMarkdown(of([{ ...MIXED.results[0]!, message: text }]), PLAIN));
    t.equal(row.split(' | ').at(-1), `${expected} |`);
    t.end();
  });

t.test('a comment stays short enough to be taken', (t) => {
  const many = Array.from({ length: 5000 }, () => MIXED.results[0]!);
  const text = renderMarkdown(of(many), PLAIN);
  t.ok(text.length < 65_536, `${text.length}`);
  t.match(text, new RegExp(`… and ${5000 - rows(text).length} more, too many for a comment\\.`));
  const passed = Array.from({ length: 5000 }, () => MIXED.results[5]!);
  t.ok(renderMarkdown(of([...many.slice(0, 90), ...passed]), PLAIN).length < 65_536, 'both tables together');
  t.end();
});

t.test('one absurd text is cut, and hides no other result', (t) => {
  const text = renderMarkdown(
    of([{ ...MIXED.results[0]!, message: 'x'.repeat(100_000) }, MIXED.results[2]!]),
    PLAIN,
  );
  t.equal(rows(text).length, 2);
  t.match(text, /xxx… \|/);
  t.end();
});

t.test('no text can add a row, a cell or an element', (t) => {
  const property = fc.property(hostileReport, (hostile) => {
    const report = printableReport(hostile);
    const text = renderMarkdown(report, PLAIN);
    const ours = text.replace(/<\/?(code|details|summary|sub)>|<br>/g, '');
    return (
      !/[<>`]/.test(ours) &&
      rows(text).length === report.results.length &&
      rows(text).every((row) => row.split('|').length === 6)
    );
  });
  t.same(fc.check(property).counterexample, null);
  t.end();
});
