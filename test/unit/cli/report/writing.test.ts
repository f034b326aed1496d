import t from 'tap';
import type { ClusterInputs } from '../../../../src/cli/report/cluster.ts';
import { chooseReportApi, writeReports } from '../../../../src/cli/report/writing.ts';
import { HASH_ANNOTATION } from '../../../../src/kube/policy-reports.ts';
import { at, isObject, type JsonObject, listAt, textAt } from '../../../../src/object/object.ts';
import type { Report, ReportResult } from '../../../../src/report/model.ts';
import { MIXED, PLAIN } from '../../../fixtures/report/mixed.ts';
import { FakeClock, fakeApi, page, type Reply, status } from '../../kube/fake-api.ts';

const POLICY_REPORTS = '/apis/wgpolicyk8s.io/v1alpha2';
const OPEN_REPORTS = '/apis/openreports.io/v1alpha1';
const served = (...names: readonly string[]): Reply => ({
  json: { resources: names.map((name) => ({ name })) },
});
const SERVED = {
  [POLICY_REPORTS]: served('policyreports', 'clusterpolicyreports'),
  [OPEN_REPORTS]: served('reports', 'clusterreports'),
};

async function choose(
  t: { teardown(end: () => unknown): void },
  answers: Readonly<Record<string, Reply>>,
  choice: string,
) {
  const { api } = await fakeApi(t, ({ path }) => answers[path] ?? status(404, 'NotFound'));
  return chooseReportApi(api, choice, new FakeClock().pass());
}

t.test('the API that was named, or the first that is there', async (t) => {
  const { [OPEN_REPORTS]: open } = SERVED;
  t.match(await choose(t, SERVED, 'policyreports'), { kind: 'PolicyReport', plural: 'policyreports' });
  t.match(await choose(t, SERVED, 'openreports'), { kind: 'Report', clusterPlural: 'clusterreports' });
  t.match(await choose(t, SERVED, 'auto'), { kind: 'PolicyReport' });
  t.match(await choose(t, { [OPEN_REPORTS]: open! }, 'auto'), { kind: 'Report' });
});

t.test('an API that is not there is named, and nothing else is taken in its place', async (t) => {
  await t.rejects(choose(t, { [OPEN_REPORTS]: SERVED[OPEN_REPORTS]! }, 'policyreports'), {
    code: 'no-report-api',
    message: /no PolicyReport of wgpolicyk8s.io\/v1alpha2: install/,
  });
  await t.rejects(choose(t, {}, 'auto'), { message: /no PolicyReport of .* nor Report of openreports.io/ });
});

const UID = '4b1d3c7e-2f8a-4f0e-9b1a-6c5d4e3f2a1';
const [FIRST] = MIXED.results;
const resultOf = (index: number, change: Partial<ReportResult>): ReportResult => ({
  ...FIRST!,
  resource: { ...FIRST!.resource, uid: `${UID}${index}` },
  ...change,
});
const reportOf = (...results: readonly ReportResult[]): Report => ({ ...MIXED, results });

/** What is created of the report in an empty cluster, and what the cluster is asked to delete of `stored`. */
async function written(
  t: { teardown(end: () => unknown): void },
  report: Report,
  { at = PLAIN.at, stored = [] as JsonObject[], inputs = { subjects: [], isWhole: false } } = {},
) {
  const { api, seen } = await fakeApi(t, ({ method, path }) => {
    if (method !== 'GET') return { json: {} };
    return page(path.endsWith('/policyreports') ? stored : []);
  });
  const target = await choose(t, SERVED, 'policyreports');
  const asked = { target, namespace: null, inputs: inputs as Pick<ClusterInputs, 'subjects' | 'isWhole'> };
  await writeReports(api, report, asked, { ...PLAIN, at }, new FakeClock().pass());
  return {
    created: seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body) as JsonObject),
    deleted: seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('/').at(-1)),
  };
}

t.test('only what needs a person is written', async (t) => {
  const results = (['pass', 'fail', 'warn', 'error', 'skip'] as const).map((result, index) =>
    resultOf(index, { result }),
  );
  const { created } = await written(t, reportOf(...results, resultOf(1, { result: 'pass' })));
  t.same(
    created.map((one) => [textAt(one, 'scope', 'uid')?.at(-1), at(one, 'results', 0, 'result')]).sort(),
    [
      ['1', 'fail'],
      ['2', 'warn'],
      ['3', 'error'],
    ],
  );
  for (const one of created) t.equal(listAt(one, 'results').length, 1);
});

t.test('the hash is of everything but the time', async (t) => {
  const hashOf = async (change: Partial<ReportResult>, at?: string) => {
    const { created } = await written(t, reportOf(resultOf(1, change)), at === undefined ? {} : { at });
    return textAt(created[0], 'metadata', 'annotations', HASH_ANNOTATION);
  };
  const hash = await hashOf({});
  t.match(hash, /^[0-9a-f]{32}$/);
  t.equal(await hashOf({}, '2031-01-01T00:00:00Z'), hash);
  t.not(await hashOf({ message: 'other' }), hash);
  t.not(await hashOf({ properties: { requested: '1Gi' } }), hash);
});

t.test('what no reader should be shown is not written', async (t) => {
  const { created } = await written(t, reportOf(resultOf(1, { message: 'a\u001b[31mb' })));
  t.equal(at(created[0], 'results', 0, 'message'), 'a\uFFFD[31mb');
});

t.test(
  'reports of judged objects without findings go; of others only where everything was judged',
  async (t) => {
    const stored = ['1', '2'].map((last) => ({
      metadata: { name: `report-${last}`, namespace: 'a' },
      scope: { uid: `${UID}${last}` },
    }));
    const object = { kind: 'DataVolume', metadata: { uid: `${UID}1` } };
    t.ok(isObject(object));
    const subjects = [{ object }] as unknown as [];
    const deleted = async (isWhole: boolean) =>
      (await written(t, reportOf(), { stored, inputs: { subjects, isWhole } })).deleted.sort();
    t.same(await deleted(false), ['report-1']);
    t.same(await deleted(true), ['report-1', 'report-2']);
  },
);
