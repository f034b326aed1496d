import fc from 'fast-check';
import t from 'tap';
import { parse } from 'yaml';
import type { Report, ReportResult } from '../../../src/report/model.ts';
import { objectReports, renderObjectReports } from '../../../src/report/objectreports.ts';
import { printableReport } from '../../../src/report/printable.ts';
import { hostileReport } from '../../fixtures/report/hostile.ts';
import { MIXED, PLAIN } from '../../fixtures/report/mixed.ts';

const API = { apiVersion: 'example.com/v1', kind: 'Report', clusterKind: 'ClusterReport', hasSource: false };
const UID = '4b1d3c7e-2f8a-4f0e-9b1a-6c5d4e3f2a1b';

const reportsOf = (results: readonly ReportResult[], at = PLAIN.at) =>
  objectReports(API, { ...MIXED, results }, { ...PLAIN, at });
const changed = (change: Partial<ReportResult>) => ({ ...MIXED.results[0]!, ...change });
const named = (change: Partial<ReportResult['resource']>) =>
  changed({ resource: { ...MIXED.results[0]!.resource, ...change } });

t.test('one report holds all results of one object, and counts them', (t) => {
  const reports = objectReports(API, MIXED, PLAIN);
  t.equal(reports.length, MIXED.results.length - 1);
  t.same(
    reports[0]!.results.map(({ rule }) => rule),
    ['oversized', 'host-assisted'],
  );
  t.same(reports[0]!.summary, { pass: 0, fail: 1, warn: 1, error: 0, skip: 0 });
  t.end();
});

t.test('objects are told apart by group, kind, namespace and name', (t) => {
  const reports = reportsOf([
    named({}),
    named({ apiVersion: 'other.io/v1' }),
    named({ kind: 'Other' }),
    named({ namespace: 'other' }),
    named({ name: 'other' }),
  ]);
  t.equal(new Set(reports.map(({ metadata }) => metadata.name)).size, 5);
  t.end();
});

t.test('documents that are no objects are told apart by their place', (t) => {
  const resource = { apiVersion: '', kind: '', namespace: '', name: '', uid: '' };
  const reports = reportsOf([changed({ resource, line: 1 }), changed({ resource, line: 2 })]);
  t.equal(reports.length, 2);
  for (const report of reports) {
    t.match(report.metadata.name, /^document-[0-9a-f]{16}$/);
    t.notOk('scope' in report);
  }
  t.end();
});

t.test('a stored object lends its UID as the name, and owns its report', (t) => {
  const [report] = reportsOf([named({ uid: UID })]);
  t.equal(report!.metadata.name, UID);
  t.same(report!.metadata.ownerReferences, [
    { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', name: 'debian-12', uid: UID },
  ]);
  t.same(report!.scope, {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    namespace: 'images',
    name: 'debian-12',
    uid: UID,
  });
  t.end();
});

t.test('a UID that no API server gave is none', (t) => {
  for (const uid of ['x', `${UID}\n`, '../..', UID.toUpperCase()]) {
    const [report] = reportsOf([named({ uid })]);
    t.match(report!.metadata.name, /^datavolume-debian-12-[0-9a-f]{16}$/, uid);
    t.notOk('ownerReferences' in report!.metadata);
  }
  t.end();
});

const SCOPES = [
  { name: 'with namespace', resource: { namespace: 'images' }, kind: 'Report', namespace: 'images' },
  {
    name: 'namespaced, but the file does not say where',
    resource: { namespace: '' },
    kind: 'Report',
    namespace: undefined,
  },
  { name: 'CDI', resource: { namespace: '', kind: 'CDI' }, kind: 'ClusterReport', namespace: undefined },
  {
    name: 'a file with something for a UID',
    resource: { namespace: '', uid: 'x' },
    kind: 'Report',
    namespace: undefined,
  },
  {
    name: 'stored without namespace',
    resource: { namespace: '', kind: 'Other', uid: UID },
    kind: 'ClusterReport',
    namespace: undefined,
  },
];
for (const { name, resource, kind, namespace } of SCOPES)
  t.test(`scope: ${name}`, (t) => {
    const [report] = reportsOf([named(resource)]);
    t.equal(report!.kind, kind);
    t.equal(report!.metadata.namespace, namespace);
    t.end();
  });

const TIMES = [
  { at: '2026-11-30T12:00:00.250Z', expected: { seconds: 1796040000, nanos: 250_000_000 } },
  { at: '2026-11-30T12:00:00Z', expected: { seconds: 1796040000, nanos: 0 } },
  { at: '1969-12-31T23:59:59.999Z', expected: { seconds: -1, nanos: 999_000_000 } },
];
for (const { at, expected } of TIMES)
  t.test(`timestamp: ${at}`, (t) => {
    t.same(reportsOf([changed({})], at)[0]!.results[0]!.timestamp, expected);
    t.end();
  });

t.test('a warning is not scored', (t) => {
  t.equal(reportsOf([changed({ result: 'warn' })])[0]!.results[0]!.scored, false);
  t.equal(reportsOf([changed({ result: 'fail' })])[0]!.results[0]!.scored, true);
  t.end();
});

t.test('the message of a floor stays the same while its numbers change', (t) => {
  const floor = MIXED.results.find(({ rule }) => rule === 'multus')!;
  const [before] = reportsOf([floor])[0]!.results;
  const [after] = reportsOf([{ ...floor, message: 'other numbers', properties: { density: '100' } }])[0]!
    .results;
  t.equal(after!.message, before!.message);
  t.match(before!.message, /kube-multus-ds.*limits\.memory/);
  t.equal(before!.properties.detail, floor.message);
  t.equal(after!.properties.density, '100');
  t.end();
});

t.test('other messages are told as they are', (t) => {
  const [result] = reportsOf([changed({})])[0]!.results;
  t.equal(result!.message, MIXED.results[0]!.message);
  t.notOk('detail' in result!.properties);
  t.match(result!.properties, {
    field: 'spec.storage.resources.requests.storage',
    file: 'base/images.yaml',
    line: '3',
  });
  t.end();
});

t.test('any texts give names and values that the API server takes', (t) => {
  const takes = (report: Report) => {
    const { items } = parse(renderObjectReports(API, report, PLAIN)) as {
      items: ReturnType<typeof objectReports>;
    };
    return items.every(
      ({ metadata, results }) =>
        /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(metadata.name) &&
        metadata.name.length <= 253 &&
        results.every(({ properties }) =>
          Object.values(properties).every((value) => typeof value === 'string'),
        ),
    );
  };
  const property = fc.property(hostileReport, (report) => takes(printableReport(report)));
  t.same(fc.check(property).counterexample, null);
  t.end();
});
