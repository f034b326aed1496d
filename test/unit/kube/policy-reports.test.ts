import t from 'tap';
import {
  HASH_ANNOTATION,
  type ReportResources,
  type ReportSync,
  servedReports,
  syncReports,
} from '../../../src/kube/policy-reports.ts';
import { identify, type JsonObject, objectAt, textAt } from '../../../src/object/object.ts';
import { FakeClock, fakeApi, page, type Reply, type Seen, status } from './fake-api.ts';

const RESOURCES: ReportResources = {
  apiVersion: 'reports.example/v1',
  kind: 'Report',
  plural: 'reports',
  clusterKind: 'ClusterReport',
  clusterPlural: 'clusterreports',
};
const ROOT = '/apis/reports.example/v1';
const MANAGED_BY = 'app.kubernetes.io/managed-by';

interface Made {
  readonly name?: string;
  readonly namespace?: string | null;
  readonly hash?: string;
  readonly by?: string;
}

/** The report of the object with that UID; null for a namespace: of one without. */
const reportOf = (
  uid: string,
  { name = uid, namespace = 'a', hash = '1', by = 'plimsoll' }: Made = {},
): JsonObject => ({
  apiVersion: RESOURCES.apiVersion,
  kind: namespace === null ? 'ClusterReport' : 'Report',
  metadata: {
    name,
    ...(namespace === null ? {} : { namespace }),
    labels: { [MANAGED_BY]: by },
    annotations: { [HASH_ANNOTATION]: hash },
  },
  scope: { uid },
});

const listOf = (namespace: string | undefined) =>
  namespace === undefined ? `${ROOT}/clusterreports` : `${ROOT}/namespaces/${namespace}/reports`;
const pathOf = (report: JsonObject) =>
  `${listOf(textAt(report, 'metadata', 'namespace'))}/${identify(report).name}`;

/** An API server that holds reports; `before` is asked first. */
async function holding(
  t: { teardown(end: () => unknown): void },
  reports: readonly JsonObject[],
  before: (request: Seen) => Reply | undefined = () => undefined,
) {
  const versioned = (report: JsonObject, resourceVersion: string): JsonObject => ({
    ...report,
    metadata: { ...objectAt(report, 'metadata'), resourceVersion },
  });
  const stored = new Map(reports.map((report) => [pathOf(report), versioned(report, '7')]));
  const isIn = (path: string, report: JsonObject) =>
    path === `${ROOT}/reports`
      ? textAt(report, 'metadata', 'namespace') !== undefined
      : path === listOf(textAt(report, 'metadata', 'namespace'));
  const answer = ({ method, path, query, body }: Seen): Reply => {
    if (method === 'GET' && /\/(cluster)?reports$/.test(path)) {
      const [label, value] = (query.get('labelSelector') ?? '').split('=');
      const labelled = [...stored.values()].filter(
        (report) => isIn(path, report) && textAt(report, 'metadata', 'labels', label ?? '') === value,
      );
      return page(labelled);
    }
    if (method === 'POST') {
      const sent = JSON.parse(body) as JsonObject;
      const target = `${path}/${identify(sent).name}`;
      if (stored.has(target)) return status(409, 'AlreadyExists');
      stored.set(target, versioned(sent, '1'));
      return { status: 201, json: sent };
    }
    const found = stored.get(path);
    if (found === undefined) return status(404, 'NotFound');
    if (method === 'DELETE') stored.delete(path);
    if (method === 'PUT') stored.set(path, JSON.parse(body));
    return { json: found };
  };
  const { api, seen } = await fakeApi(t, (request) => before(request) ?? answer(request));
  const sync = (over: Partial<ReportSync>) =>
    syncReports(
      api,
      { resources: RESOURCES, namespace: null, wanted: [], isClean: () => false, ...over },
      new FakeClock().pass(),
    );
  return {
    sync,
    stored,
    writes: () =>
      seen.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
  };
}

t.test('what is new is created, what changed replaced, what is the same left alone', async (t) => {
  const { sync, writes, stored } = await holding(t, [reportOf('same'), reportOf('other', { hash: '0' })]);
  const wanted = [
    reportOf('same'),
    reportOf('other'),
    reportOf('new', { namespace: 'b' }),
    reportOf('wide', { namespace: null }),
  ];
  t.same(await sync({ wanted }), { written: 3, unchanged: 1, deleted: 0, refused: [] });
  t.same(writes().sort(), [
    `POST ${ROOT}/clusterreports`,
    `POST ${ROOT}/namespaces/b/reports`,
    `PUT ${ROOT}/namespaces/a/reports/other`,
  ]);
  t.match(stored.get(`${ROOT}/namespaces/a/reports/other`), {
    metadata: { resourceVersion: '7', annotations: { [HASH_ANNOTATION]: '1' } },
  });
  t.same(await sync({ wanted }), { written: 0, unchanged: 4, deleted: 0, refused: [] });
});

t.test('of those that are not wanted, the clean ones go', async (t) => {
  const clean = reportOf('clean');
  const wide = reportOf('wide', { namespace: null });
  const { sync, writes } = await holding(t, [clean, wide, reportOf('unjudged'), reportOf('wanted')]);
  const isClean = (uid: string) => uid !== 'unjudged';
  t.same(await sync({ wanted: [reportOf('wanted')], isClean }), {
    written: 0,
    unchanged: 1,
    deleted: 2,
    refused: [],
  });
  t.same(writes().sort(), [`DELETE ${pathOf(wide)}`, `DELETE ${pathOf(clean)}`]);
});

t.test('those of others are never touched, whatever their names', async (t) => {
  const foreign = reportOf('x', { by: 'another', hash: '0' });
  const { sync, stored, writes } = await holding(t, [foreign, reportOf('y', { by: 'another' })]);
  t.match(await sync({ wanted: [reportOf('x')], isClean: () => true }), { written: 1, deleted: 0 });
  t.match(stored.get(pathOf(foreign)), foreign);
  t.match(stored.get(`${ROOT}/namespaces/a/reports/x-plimsoll`), { scope: { uid: 'x' } });
  const before = writes().length;
  t.match(await sync({ wanted: [reportOf('x')] }), { written: 0, unchanged: 1 });
  t.equal(writes().length, before, 'it is known again by its object');
  t.match(await sync({ wanted: [reportOf('x', { hash: '2' })] }), { written: 1 });
  t.equal(writes().at(-1), `PUT ${ROOT}/namespaces/a/reports/x-plimsoll`);
});

t.test('a report that another run made in the meantime is replaced', async (t) => {
  let isFirst = true;
  const { sync, writes } = await holding(t, [reportOf('x', { hash: '0' })], ({ path }) => {
    if (!isFirst || path !== `${ROOT}/reports`) return undefined;
    isFirst = false;
    return page([]);
  });
  t.match(await sync({ wanted: [reportOf('x')] }), { written: 1, refused: [] });
  t.same(writes(), [`POST ${ROOT}/namespaces/a/reports`, `PUT ${ROOT}/namespaces/a/reports/x`]);
});

t.test('in one namespace only its reports are looked at', async (t) => {
  const there = reportOf('there', { namespace: 'b' });
  const { sync, writes } = await holding(t, [reportOf('here'), there]);
  t.match(await sync({ namespace: 'b', isClean: () => true }), { deleted: 1 });
  t.same(writes(), [`DELETE ${pathOf(there)}`]);
});

t.test('what is gone needs no deletion, and no report', async (t) => {
  const { sync } = await holding(t, [reportOf('old'), reportOf('changed', { hash: '0' })], ({ method }) =>
    method === 'GET' ? undefined : status(404, 'NotFound'),
  );
  const wanted = [reportOf('changed'), reportOf('new')];
  t.same(await sync({ wanted, isClean: () => true }), { written: 0, unchanged: 0, deleted: 0, refused: [] });
});

const REFUSALS = [
  { name: 'forbidden', reply: status(403, 'Forbidden'), told: /POST .*: the API server does not permit it/ },
  { name: 'invalid', reply: status(422, 'Invalid'), told: /refused the request as invalid/ },
];
for (const { name, reply, told } of REFUSALS)
  t.test(`one that is ${name} does not hold up the others`, async (t) => {
    const { sync } = await holding(t, [], ({ method, body }) =>
      method === 'POST' && body.includes('bad') ? reply : undefined,
    );
    const wanted = [reportOf('bad'), reportOf('good')];
    const { written, refused } = await sync({ wanted });
    t.equal(written, 1);
    t.equal(refused.length, 1);
    t.match(refused[0], told);
  });

t.test('an API server that fails ends it', async (t) => {
  const { sync } = await holding(t, [], ({ method }) =>
    method === 'POST' ? status(500, 'InternalError') : undefined,
  );
  await t.rejects(sync({ wanted: [reportOf('x')] }), { code: 'server-error' });
});

const OTHERS: ReportResources = { ...RESOURCES, apiVersion: 'others.example/v1' };
const served = (...names: readonly string[]): Reply => ({
  json: { kind: 'APIResourceList', resources: names.map((name) => ({ name })) },
});
const SERVED: readonly { name: string; answers: Readonly<Record<string, Reply>>; found: unknown }[] = [
  { name: 'none', answers: {}, found: null },
  {
    name: 'the first',
    answers: { [ROOT]: served('clusterreports', 'reports', 'reports/status') },
    found: RESOURCES,
  },
  {
    name: 'the second',
    answers: { '/apis/others.example/v1': served('clusterreports', 'reports') },
    found: OTHERS,
  },
  { name: 'half of one', answers: { [ROOT]: served('reports') }, found: null },
];
for (const { name, answers, found } of SERVED)
  t.test(`the API that the cluster serves: ${name}`, async (t) => {
    const { api } = await fakeApi(t, ({ path }) => answers[path] ?? status(404, 'NotFound'));
    t.equal(await servedReports(api, [RESOURCES, OTHERS], new FakeClock().pass()), found);
  });

t.test('an API server that may not be asked for its APIs', async (t) => {
  const { api } = await fakeApi(t, () => status(403, 'Forbidden'));
  await t.rejects(servedReports(api, [RESOURCES], new FakeClock().pass()), { code: 'forbidden' });
});
