import t from 'tap';
import { systemClock } from '../../../src/kube/clock.ts';
import { followImportSources, importSourcesAmong } from '../../../src/kube/import-sources.ts';
import { fakeApi, page, type Reply, status } from './fake-api.ts';

const PATH = '/apis/cdi.kubevirt.io/v1beta1/volumeimportsources';
const source = (namespace: string, name: string) => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'VolumeImportSource',
  metadata: { namespace, name },
  spec: { source: { http: { url: `http://images.example/${name}` } } },
});

t.test('among objects, by namespace and name', (t) => {
  const other = { ...source('a', 'disk'), kind: 'DataVolume' };
  const find = importSourcesAmong([source('a', 'one'), source('b', 'one'), other]);
  t.match(find('a', 'one'), { metadata: { namespace: 'a' } });
  t.match(find('b', 'one'), { metadata: { namespace: 'b' } });
  for (const [namespace, name] of [
    ['a', 'two'],
    ['c', 'one'],
    ['a', 'disk'],
  ] as const)
    t.equal(find(namespace, name), undefined, `${namespace}/${name}`);
  t.end();
});

const rows: [name: string, reply: Reply, found: boolean, failed: boolean][] = [
  ['of the cluster', page([source('a', 'one')]), true, false],
  ['CDI not installed', status(404, 'NotFound'), false, false],
  ['not permitted', status(403, 'Forbidden'), false, true],
];
for (const [name, reply, found, failed] of rows)
  t.test(`followed: ${name}`, async (t) => {
    const { api } = await fakeApi(t, ({ path }: { path: string }) =>
      path === PATH ? reply : status(404, 'NotFound'),
    );
    const { promise, resolve } = Promise.withResolvers<Error | null>();
    const following = followImportSources({
      api,
      intervalMs: 60_000,
      jitter: () => 0,
      clock: systemClock,
      observe: ({ error }) => resolve(error),
    });
    t.equal((await promise) !== null, failed, 'observed');
    t.equal(following.find('a', 'one') !== undefined, found);
    following.stop();
  });
