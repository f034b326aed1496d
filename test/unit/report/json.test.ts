import t from 'tap';
import { renderJson, reportObject } from '../../../src/report/json.ts';
import { EMPTY, MIXED } from '../../fixtures/report/mixed.ts';

t.test('has exactly the documented keys', (t) => {
  const report = reportObject(MIXED);
  t.same(Object.keys(report), ['apiVersion', 'kind', 'summary', 'results']);
  for (const result of report.results)
    t.same(Object.keys(result), [
      'policy',
      'rule',
      'result',
      'severity',
      'resource',
      'field',
      'message',
      'properties',
      'file',
      'line',
    ]);
  t.end();
});

t.test('the uid is there only where it is known', (t) => {
  const keys = reportObject(MIXED).results.map(({ resource }) => Object.keys(resource).join());
  t.equal(keys[0], 'apiVersion,kind,namespace,name');
  t.equal(keys.at(-1), 'apiVersion,kind,namespace,name,uid');
  t.end();
});

t.test('is JSON that says the same', (t) => {
  t.same(JSON.parse(renderJson(MIXED)), reportObject(MIXED));
  t.same(JSON.parse(renderJson(EMPTY)).results, []);
  t.end();
});
