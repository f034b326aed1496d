import t from 'tap';
import { resultsSection } from '../../../../src/report/html/results.ts';
import { EMPTY, MIXED } from '../../../fixtures/report/mixed.ts';

t.test('a row for each result, in the order of the report', (t) => {
  const { markup } = resultsSection(MIXED);
  t.same(
    [...markup.matchAll(/<tr role="row" data-result="(\w+)"/g)].map(([, kind]) => kind),
    MIXED.results.map(({ result }) => result),
  );
  t.match(markup, '<b>DataVolume/images/debian-12</b><br><span class="faint">base/images.yaml:3</span>');
  t.match(markup, '<b>CDI/cdi</b></td>');
  t.end();
});

t.test('a switch for each kind that there is', (t) => {
  const kinds = (markup: string) => [...markup.matchAll(/value="(\w+)" checked/g)].map(([, kind]) => kind);
  t.same(kinds(resultsSection(MIXED).markup), ['fail', 'error', 'warn', 'pass', 'skip']);
  t.same(kinds(resultsSection(EMPTY).markup), []);
  t.end();
});
