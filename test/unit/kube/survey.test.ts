import t from 'tap';
import type { PlanningSettings } from '../../../src/kube/knowledge.ts';
import { MARKS_NAME } from '../../../src/kube/marks.ts';
import { surveyCluster } from '../../../src/kube/survey.ts';
import { FakeClock, fakeApi, page, podTable, type Reply, status } from './fake-api.ts';

const HIGH_WATER: PlanningSettings = { statistic: 'highWaterMark', fixed: null, minimum: 30 };
const MARKS = `/api/v1/namespaces/ours/configmaps/${MARKS_NAME}`;
const DAEMON = '/api/v1/namespaces/kube-system/configmaps/multus-daemon-config';
const FORBIDDEN = status(403, 'Forbidden');

const CLUSTER: Readonly<Record<string, Reply>> = {
  '/api/v1/pods': podTable(Array(90).fill('n')),
  '/api/v1/nodes': page([{ metadata: { name: 'n' }, status: { allocatable: { pods: '250' } } }]),
  '/apis/storage.k8s.io/v1/storageclasses': page([{ metadata: { name: 'fast' } }]),
  [DAEMON]: { json: { data: { 'daemon-config.json': '{"connectionLimit":5}' } } },
  [MARKS]: {
    json: {
      metadata: {},
      data: { 'highWaterMark.json': '{"n":45,"m":110}', 'allocatable.json': '{"m":500}' },
    },
  },
};

async function survey(
  t: { teardown(end: () => unknown): void },
  change: Readonly<Record<string, Reply>> = {},
  planning = HIGH_WATER,
  namespace: string | null = 'ours',
) {
  const { api, seen } = await fakeApi(
    t,
    ({ path }) => ({ ...CLUSTER, ...change })[path] ?? status(404, 'NotFound'),
  );
  const options = { api, namespace, planning, multusNamespaces: ['kube-system'] };
  return { seen, found: await surveyCluster(options, new FakeClock().pass()) };
}

t.test('everything, and nothing is written', async (t) => {
  const { seen, found } = await survey(t);
  t.match(found, {
    storage: { origin: 'cluster', classes: [{ name: 'fast' }], profiles: null },
    density: { pods: 110, origin: 'highWaterMark' },
    connectionLimit: 5,
    forbidden: [],
    withoutHostNetwork: true,
  });
  t.same(Object.fromEntries(found.marks ?? []), { n: 90, m: 110 });
  t.ok(seen.every(({ method }) => method === 'GET'));
});

const cases: readonly (readonly [
  name: string,
  change: Readonly<Record<string, Reply>>,
  planning: PlanningSettings,
  namespace: string | null,
  pods: number,
  origin: string,
  forbidden: readonly string[],
])[] = [
  ['not installed there', {}, HIGH_WATER, null, 90, 'highWaterMark', []],
  ['no marks yet', { [MARKS]: status(404, 'NotFound') }, HIGH_WATER, 'ours', 90, 'highWaterMark', []],
  ['marks may not be read', { [MARKS]: FORBIDDEN }, HIGH_WATER, 'ours', 90, 'highWaterMark', ['ConfigMap']],
  ['pods may not be read', { '/api/v1/pods': FORBIDDEN }, HIGH_WATER, 'ours', 110, 'highWaterMark', ['Pod']],
  [
    'neither may be read',
    { '/api/v1/pods': FORBIDDEN, [MARKS]: FORBIDDEN, [DAEMON]: FORBIDDEN },
    HIGH_WATER,
    'ours',
    30,
    'minimum',
    ['ConfigMap', 'Pod'],
  ],
  ['allocatable', {}, { ...HIGH_WATER, statistic: 'allocatable' }, 'ours', 500, 'allocatable', []],
  [
    'nodes may not be read',
    { '/api/v1/nodes': FORBIDDEN },
    { ...HIGH_WATER, statistic: 'allocatable' },
    null,
    30,
    'minimum',
    ['Node'],
  ],
  ['fixed', {}, { statistic: 'fixed', fixed: 77, minimum: 30 }, 'ours', 77, 'fixed', []],
];

t.test('what the density follows', async (t) => {
  for (const [name, change, planning, namespace, pods, origin, forbidden] of cases) {
    const { found } = await survey(t, change, planning, namespace);
    t.same(found.density, { pods, origin }, name);
    t.same(found.forbidden, forbidden, name);
  }
});

t.test('a fixed density asks for no pods and no marks', async (t) => {
  const { seen } = await survey(t, {}, { statistic: 'fixed', fixed: 77, minimum: 30 });
  t.notOk(seen.some(({ path }) => path === '/api/v1/pods' || path === MARKS));
});

t.test('any other failure is one', async (t) => {
  await t.rejects(survey(t, { '/api/v1/pods': status(500, 'InternalError') }), { code: 'server-error' });
});
