import t from 'tap';
import { countPods, readAllocatable } from '../../../src/kube/density.ts';
import { FakeClock, fakeApi, page, podTable, type Reply, status } from './fake-api.ts';

const pass = () => new FakeClock().pass();

t.test('pods by node, over pages', async (t) => {
  const { api, seen } = await fakeApi(t, ({ query }) =>
    query.get('continue') === null ? podTable(['a', 'a', 'b'], 'next') : podTable(['b', 'a', 'c']),
  );
  const { pods, withoutHostNetwork } = await countPods(api, pass());
  t.same(Object.fromEntries(pods), { a: 3, b: 2, c: 1 });
  t.equal(withoutHostNetwork, true);
  for (const { path, query, headers } of seen) {
    t.equal(path, '/api/v1/pods');
    t.equal(
      query.get('fieldSelector'),
      'status.phase!=Succeeded,status.phase!=Failed,spec.nodeName!=,spec.hostNetwork=false',
    );
    t.equal(query.get('includeObject'), 'None');
    t.equal(headers.accept, 'application/json;as=Table;v=v1;g=meta.k8s.io');
  }
});

t.test('an API server that cannot select by hostNetwork is asked for all pods', async (t) => {
  const { api } = await fakeApi(t, ({ query }) =>
    query.get('fieldSelector')?.includes('hostNetwork') ? status(400, 'BadRequest') : podTable(['a', 'a']),
  );
  const { pods, withoutHostNetwork } = await countPods(api, pass());
  t.same(Object.fromEntries(pods), { a: 2 });
  t.equal(withoutHostNetwork, false);
});

t.test('a list that starts again counts nothing twice', async (t) => {
  const replies = [podTable(['a', 'a'], 'next'), status(410, 'Expired'), podTable(['a'])];
  const { api } = await fakeApi(t, () => replies.shift()!);
  t.same(Object.fromEntries((await countPods(api, pass())).pods), { a: 1 });
});

t.test('the column is found by its name', async (t) => {
  const columns = [{ name: 'Node' }, { name: 'IP' }];
  const { api } = await fakeApi(t, () => ({
    json: { kind: 'Table', columnDefinitions: columns, rows: [{ cells: ['a', '10.0.0.1'] }] },
  }));
  t.same(Object.fromEntries((await countPods(api, pass())).pods), { a: 1 });
});

t.test('rows that name no node', async (t) => {
  const { api } = await fakeApi(t, () =>
    podTable(['a', '<none>', '', null, 7, '__proto__', 'A\n', undefined]),
  );
  t.same(Object.fromEntries((await countPods(api, pass())).pods), { a: 1 });
});

const noTables: readonly (readonly [name: string, reply: Reply])[] = [
  ['the objects themselves', page([{ spec: { nodeName: 'a' } }])],
  ['no such column', podTable(['a'], '', [{ name: 'Name' }])],
  ['no columns', podTable(['a'], '', [])],
  ['another kind', { json: { kind: 'Status', columnDefinitions: [{ name: 'Node' }] } }],
];

t.test('what is no Table of pods is no count', async (t) => {
  for (const [name, reply] of noTables) {
    const { api } = await fakeApi(t, () => reply);
    await t.rejects(countPods(api, pass()), { code: 'bad-answer' }, name);
  }
});

t.test('a refusal of everything is a failure', async (t) => {
  const { api, seen } = await fakeApi(t, () => status(400, 'BadRequest'));
  await t.rejects(countPods(api, pass()), { code: 'bad-request' });
  t.equal(seen.length, 2);
});

t.test('a user who may not list pods is told so at once', async (t) => {
  const { api, seen } = await fakeApi(t, () => status(403, 'Forbidden'));
  await t.rejects(countPods(api, pass()), { code: 'forbidden' });
  t.equal(seen.length, 1);
});

t.test('what nodes offer', async (t) => {
  const node = (name: unknown, pods: unknown) => ({ metadata: { name }, status: { allocatable: { pods } } });
  const { api, seen } = await fakeApi(t, ({ query }) =>
    query.get('continue') === null
      ? page([node('a', '110'), node('b', 250), node('new', undefined)], 'next')
      : page([node('c', '1k'), node('d', 'many'), node('e', '-1'), node('f', '20k'), node('_', '1'), {}]),
  );
  t.same(Object.fromEntries(await readAllocatable(api, pass())), { a: 110, b: 250, c: 1000 });
  t.same(
    seen.map(({ path }) => path),
    ['/api/v1/nodes', '/api/v1/nodes'],
  );
});
