import t from 'tap';
import { readConnectionLimit } from '../../../src/kube/multus.ts';
import { FakeClock, fakeApi, type Reply, status } from './fake-api.ts';

const configMap = (config: string): Reply => ({ json: { data: { 'daemon-config.json': config } } });
const missing = status(404, 'NotFound');

const cases: readonly (readonly [name: string, replies: Record<string, Reply>, limit: number | null])[] = [
  ['none in any namespace', {}, null],
  ['no limit set', { one: configMap('{}') }, null],
  ['a limit', { one: configMap('{"connectionLimit": 5}') }, 5],
  ['a limit in the second namespace', { two: configMap('{"connectionLimit": 20}') }, 20],
  [
    'the first that is found counts',
    { one: configMap('{}'), two: configMap('{"connectionLimit": 20}') },
    null,
  ],
  ['not JSON', { one: configMap('{') }, null],
];

t.test('connectionLimit', async (t) => {
  for (const [name, replies, limit] of cases) {
    const { api } = await fakeApi(t, ({ path }) => {
      const namespace = path.match(/^\/api\/v1\/namespaces\/(.*)\/configmaps\/multus-daemon-config$/)?.[1];
      return replies[namespace ?? ''] ?? missing;
    });
    t.equal(await readConnectionLimit(api, ['one', 'two'], new FakeClock().pass()), limit, name);
  }
});

t.test('who may not read it is told so', async (t) => {
  const { api } = await fakeApi(t, () => status(403, 'Forbidden'));
  await t.rejects(readConnectionLimit(api, ['one'], new FakeClock().pass()), { code: 'forbidden' });
});
