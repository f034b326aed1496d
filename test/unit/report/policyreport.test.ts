import t from 'tap';
import { parse } from 'yaml';
import { renderPolicyReport } from '../../../src/report/policyreport.ts';
import { EMPTY, MIXED, PLAIN } from '../../fixtures/report/mixed.ts';

t.test('reports are of the two kinds of wgpolicyk8s.io/v1alpha2', (t) => {
  const { apiVersion, kind, items } = parse(renderPolicyReport(MIXED, PLAIN));
  t.same({ apiVersion, kind }, { apiVersion: 'v1', kind: 'List' });
  t.ok(items.every((item: { apiVersion: string }) => item.apiVersion === 'wgpolicyk8s.io/v1alpha2'));
  t.same(
    new Set(items.map((item: { kind: string }) => item.kind)),
    new Set(['PolicyReport', 'ClusterPolicyReport']),
  );
  t.end();
});

t.test('reports have no source, which this API does not have', (t) => {
  for (const item of parse(renderPolicyReport(MIXED, PLAIN)).items) t.equal(item.source, undefined);
  t.end();
});

t.test('without results the list is empty', (t) => {
  t.same(parse(renderPolicyReport(EMPTY, PLAIN)).items, []);
  t.end();
});
