import fc from 'fast-check';
import t from 'tap';
import { renderHtml } from '../../../../src/report/html/page.ts';
import type { Report } from '../../../../src/report/model.ts';
import { printableReport } from '../../../../src/report/printable.ts';
import { hostileReport } from '../../../fixtures/report/hostile.ts';
import { EMPTY, MIXED, PLAIN } from '../../../fixtures/report/mixed.ts';

t.test('loads nothing and says so to the browser', (t) => {
  const page = renderHtml(MIXED, PLAIN);
  t.match(page, 'default-src &#39;none&#39;');
  t.notMatch(page, /https?:|url\(|@import|\bsrc=/);
  t.same(page.match(/href="[^"]*"/g), ['href="data:,"']);
  t.end();
});

t.test('has the counts, the time and the density', (t) => {
  const page = renderHtml(MIXED, PLAIN);
  t.match(page, '<li class="fail"><b>3</b> fail</li>');
  t.match(page, '<time datetime="2026-11-30T12:00:00.250Z">2026-11-30 12:00 UTC</time>');
  t.match(page, '90 pods a node (the most that a node has held)');
  t.match(renderHtml(EMPTY, PLAIN), '<li class="fail none"><b>0</b> fail</li>');
  t.end();
});

/** Tags, their attributes' names, and the number of quotes: everything about a page but its texts. */
function skeleton(page: string): string {
  return page.replace(/="[^"]*"/g, '=""').replace(/>[^<]*/g, '>');
}

/** The same report with harmless texts; empty ones stay empty, for they are left out of the page. */
function harmless(report: Report): Report {
  const plain = (text: string) => (text === '' ? '' : 'x');
  return {
    ...report,
    results: report.results.map((result) => ({
      ...result,
      message: 'x',
      resource: { ...result.resource, kind: plain(result.resource.kind), name: plain(result.resource.name) },
    })),
  };
}

t.test('no text changes the structure of the page', (t) => {
  const property = fc.property(hostileReport, (hostile) => {
    const report = printableReport(hostile);
    return skeleton(renderHtml(report, PLAIN)) === skeleton(renderHtml(harmless(report), PLAIN));
  });
  t.same(fc.check(property).counterexample, null);
  t.end();
});

t.test('no text becomes an element', (t) => {
  const known = new Set(renderHtml(MIXED, PLAIN).match(/<\/?[a-z0-9]+|<!\w+/g));
  const property = fc.property(hostileReport, (hostile) => {
    const page = renderHtml(printableReport(hostile), PLAIN);
    return (
      page.match(/<script/g)?.length === 1 &&
      (page.match(/<[^\s>]+/g) ?? []).every((tag) => known.has(tag.trim()) || tag === '<title')
    );
  });
  t.same(fc.check(property).counterexample, null);
  t.end();
});
