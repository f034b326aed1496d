import t from 'tap';
import { type Raise, writeAgain } from '../../../src/kube/reconcile.ts';
import { identify, type JsonObject, objectAt } from '../../../src/object/object.ts';
import { FakeClock, type Seen } from './fake-api.ts';
import { fakeCluster } from './fake-cluster.ts';

const PATH = '/apis/apps/v1/namespaces/kube-system/daemonsets/multus';

function daemonSet(manager = 'kubectl-create'): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      name: 'multus',
      namespace: 'kube-system',
      uid: 'u',
      resourceVersion: '7',
      managedFields: [{ manager, fieldsV1: { 'f:spec': { 'f:template': {} } } }],
    },
    spec: { limit: '50Mi', other: 1 },
    status: { currentNumberScheduled: 3 },
  };
}

const raise: Raise = (stored) => ({ ...stored, spec: { ...objectAt(stored, 'spec'), limit: '500Mi' } });
const puts = (seen: readonly Seen[]) =>
  seen.filter(({ method }) => method === 'PUT').map(({ query }) => query.get('dryRun'));

/** An API server that stores the object, and whose webhooks make of it what `admit` says. */
async function clusterWith(t: Parameters<typeof fakeCluster>[0], object: JsonObject, admit: Raise) {
  const cluster = await fakeCluster(t);
  cluster.objects.set(PATH, object);
  cluster.before = ({ method, query, body }) =>
    method === 'PUT' && query.get('dryRun') === 'All'
      ? { json: admit(JSON.parse(body)) ?? JSON.parse(body) }
      : undefined;
  const write = (made: Raise = raise) =>
    writeAgain(cluster.api, identify(object), made, new FakeClock().pass());
  return { ...cluster, write };
}

t.test('an object is written again as it is stored, after a dry run', async (t) => {
  const { seen, write } = await clusterWith(t, daemonSet(), raise);
  t.same(await write(), { kind: 'written' });
  t.same(puts(seen), ['All', null]);
  for (const { method, path, body } of seen) {
    t.equal(path, PATH);
    if (method === 'PUT') t.same(JSON.parse(body), daemonSet(), 'nothing in it is ours');
  }
});

const LEFT: readonly {
  name: string;
  object: JsonObject;
  admit: Raise;
  raise: Raise;
  kind: object;
  puts: unknown[];
}[] = [
  {
    name: 'it has an owner',
    object: daemonSet('argocd-controller'),
    admit: raise,
    raise,
    kind: { kind: 'owned', owner: 'argocd-controller' },
    puts: [],
  },
  {
    name: 'it is raised already',
    object: daemonSet(),
    admit: raise,
    raise: () => null,
    kind: { kind: 'settled' },
    puts: [],
  },
  {
    name: 'our webhook is not asked',
    object: daemonSet(),
    admit: (sent) => sent,
    raise,
    kind: { kind: 'unexpected' },
    puts: ['All'],
  },
  {
    name: 'another webhook changes more',
    object: daemonSet(),
    admit: (sent) => ({ ...sent, spec: { limit: '500Mi', other: 2 } }),
    raise,
    kind: { kind: 'unexpected' },
    puts: ['All'],
  },
];

for (const { name, object, admit, raise: made, kind, puts: sent } of LEFT)
  t.test(`an object is left: ${name}`, async (t) => {
    const { seen, write } = await clusterWith(t, object, admit);
    t.same(await write(made), kind);
    t.same(puts(seen), sent);
  });

t.test('somebody wrote between the dry run and the write', async (t) => {
  const cluster = await clusterWith(t, daemonSet(), (sent) => {
    cluster.change(PATH, (stored) => ({ ...stored, spec: {} }));
    return raise(sent);
  });
  await t.rejects(cluster.write(), { code: 'conflict' });
  t.same(cluster.objects.get(PATH)?.['spec'], {});
});

t.test('an object without a namespace', async (t) => {
  const cluster = await fakeCluster(t);
  const reference = {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'CDI',
    namespace: '',
    name: 'c/di',
    uid: 'u',
  };
  await t.rejects(writeAgain(cluster.api, reference, raise, new FakeClock().pass()), { code: 'not-found' });
  t.equal(cluster.seen[0]?.path, '/apis/cdi.kubevirt.io/v1beta1/cdis/c%2Fdi');
});
