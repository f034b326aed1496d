import t from 'tap';
import { parse } from 'yaml';
import { renderOpenReports } from '../../../src/report/openreports.ts';
import { EMPTY, MIXED, PLAIN } from '../../fixtures/report/mixed.ts';

t.test('reports are of the two kinds of openreports.io/v1alpha1', (t) => {
  const { apiVersion, kind, items } = parse(renderOpenReports(MIXED, PLAIN));
  t.same({ apiVersion, kind }, { apiVersion: 'v1', kind: 'List' });
  t.ok(items.every((item: { apiVersion: string }) => item.apiVersion === 'openreports.io/v1alpha1'));
  t.same(new Set(items.map((item: { kind: string }) => item.kind)), new Set(['Report', 'ClusterReport']));
  t.end();
});

t.test('reports have a source, as this API has', (t) => {
  for (const item of parse(renderOpenReports(MIXED, PLAIN)).items) t.equal(item.source, 'plimsoll');
  t.end();
});

t.test('without results the list is empty', (t) => {
  t.same(parse(renderOpenReports(EMPTY, PLAIN)).items, []);
  t.end();
});
