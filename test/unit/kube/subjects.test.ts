import t from 'tap';
import { readSubjects, type SubjectSelection } from '../../../src/kube/subjects.ts';
import { FakeClock, fakeApi, page, type Reply, status } from './fake-api.ts';

const CDI = '/apis/cdi.kubevirt.io/v1beta1';
const named = (name: string, more: object = {}) => ({ metadata: { name, ...more } });

async function read(
  t: { teardown(end: () => unknown): void },
  answers: Readonly<Record<string, Reply>>,
  selection: Partial<Omit<SubjectSelection, 'kinds'>> & { readonly kinds: readonly string[] },
) {
  const { api, seen } = await fakeApi(t, ({ path }) => answers[path] ?? status(404, 'NotFound'));
  const { kinds, ...over } = selection;
  const asked = { namespace: null, labelSelector: null, ...over, kinds: new Set(kinds) };
  return { seen, ...(await readSubjects(api, asked, new FakeClock().pass())) };
}

t.test(
  'of the kinds that are asked for, every object, with its kind and without what nobody judges',
  async (t) => {
    const { objects, seen } = await read(
      t,
      {
        [`${CDI}/datavolumes`]: page([
          {
            ...named('a', { managedFields: [{}], uid: 'x' }),
            spec: { a: 1 },
            status: { phase: 'Succeeded' },
          },
        ]),
        '/apis/apps/v1/daemonsets': page([named('b')]),
        '/api/v1/persistentvolumeclaims': page([named('c')]),
      },
      { kinds: ['DataVolume', 'DaemonSet', 'PersistentVolumeClaim', 'Unheard'] },
    );
    t.same(objects, [
      {
        apiVersion: 'cdi.kubevirt.io/v1beta1',
        kind: 'DataVolume',
        metadata: { name: 'a', uid: 'x' },
        spec: { a: 1 },
      },
      { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' } },
      { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'b' } },
    ]);
    t.equal(seen.length, 3, 'nothing else is read');
  },
);

t.test('one namespace, by labels', async (t) => {
  const { seen } = await read(
    t,
    {},
    { kinds: ['DataVolume', 'VolumeImportSource', 'CDI'], namespace: 'a/b', labelSelector: 'x=y' },
  );
  t.same(
    seen.map(({ path, query }) => [path, query.get('labelSelector')]),
    [
      [`${CDI}/namespaces/a%2Fb/datavolumes`, 'x=y'],
      [`${CDI}/namespaces/a%2Fb/volumeimportsources`, null],
      [`${CDI}/cdis`, 'x=y'],
    ],
  );
});

t.test('the version that the cluster serves', async (t) => {
  const { objects } = await read(
    t,
    { '/apis/hco.kubevirt.io/v1/hyperconvergeds': page([named('a')]) },
    { kinds: ['HyperConverged'] },
  );
  t.match(objects, [{ apiVersion: 'hco.kubevirt.io/v1', kind: 'HyperConverged' }]);
});

t.test('what may not be read is named, what is not installed is not there', async (t) => {
  const { objects, forbidden } = await read(
    t,
    { [`${CDI}/datavolumes`]: status(403, 'Forbidden'), [`${CDI}/cdis`]: page([named('cdi')]) },
    { kinds: ['DataVolume', 'VirtualMachine', 'CDI'] },
  );
  t.same(forbidden, ['DataVolume']);
  t.match(objects, [{ kind: 'CDI' }]);
});

t.test('an API server that fails', async (t) => {
  const answers = { [`${CDI}/datavolumes`]: status(500, 'InternalError') };
  await t.rejects(read(t, answers, { kinds: ['DataVolume'] }), { code: 'server-error' });
});
