import t from 'tap';
import { readStorage } from '../../../src/kube/storage.ts';
import { FakeClock, fakeApi, page, type Reply, status } from './fake-api.ts';

const CDI = '/apis/cdi.kubevirt.io/v1beta1';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';

/** As the API server sends them: items of built-in kinds do not say what they are. */
const CLUSTER: Readonly<Record<string, Reply>> = {
  [CLASSES]: page([
    { metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } },
    { metadata: { name: 'slow' } },
  ]),
  [`${CDI}/storageprofiles`]: page([
    {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'StorageProfile',
      metadata: { name: 'fast', annotations: { 'cdi.kubevirt.io/minimumSupportedPvcSize': '4Gi' } },
      status: {
        cloneStrategy: 'copy',
        claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Block' }],
      },
    },
  ]),
  [`${CDI}/cdis`]: page([
    {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'CDI',
      metadata: { name: 'cdi' },
      spec: { cloneStrategyOverride: 'snapshot' },
    },
  ]),
  [`${CDI}/cdiconfigs/config`]: {
    json: {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'CDIConfig',
      metadata: { name: 'config' },
      status: { filesystemOverhead: { global: '0.06', storageClass: { fast: '0.1' } } },
    },
  },
};

const answers =
  (cluster: Readonly<Record<string, Reply>>) =>
  ({ path }: { path: string }) =>
    cluster[path] ?? status(404, 'NotFound');
const pass = () => new FakeClock().pass();

t.test('all of it', async (t) => {
  const { api } = await fakeApi(t, answers(CLUSTER));
  t.same(await readStorage(api, pass()), {
    forbidden: [],
    facts: {
      origin: 'cluster',
      formula: null,
      overhead: { global: '0.06', byClass: { fast: '0.1' } },
      classes: [
        { name: 'fast', isDefault: true, isVirtDefault: false },
        { name: 'slow', isDefault: false, isVirtDefault: false },
      ],
      profiles: [
        {
          name: 'fast',
          claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Block' }],
          cloneStrategy: 'copy',
          minimumSupportedPvcSize: 4n << 30n,
        },
      ],
      cloneStrategyOverride: 'snapshot',
    },
  });
});

t.test('a cluster without CDI: nothing is known of it', async (t) => {
  const { api } = await fakeApi(t, answers({ [CLASSES]: page([]) }));
  const { facts, forbidden } = await readStorage(api, pass());
  t.same(forbidden, []);
  t.equal(facts.profiles, null);
  t.same(facts.classes, []);
  t.same(facts.overhead, { global: null, byClass: {} });
});

t.test('a cluster with CDI and no profile yet: known to be none', async (t) => {
  const { api } = await fakeApi(t, answers({ ...CLUSTER, [`${CDI}/storageprofiles`]: page([]) }));
  t.same((await readStorage(api, pass())).facts.profiles, []);
});

t.test('what this user may not read is not known, and is told', async (t) => {
  const { api } = await fakeApi(
    t,
    answers({ ...CLUSTER, [CLASSES]: status(403, 'Forbidden'), [`${CDI}/cdis`]: status(403, 'Forbidden') }),
  );
  const { facts, forbidden } = await readStorage(api, pass());
  t.same(forbidden, ['StorageClass', 'CDI']);
  t.equal(facts.classes, null);
  t.equal(facts.cloneStrategyOverride, null);
  t.equal(facts.profiles?.length, 1);
});

t.test('a failure is a failure of the whole', async (t) => {
  for (const path of Object.keys(CLUSTER)) {
    const { api } = await fakeApi(t, answers({ ...CLUSTER, [path]: status(500, 'InternalError') }));
    await t.rejects(readStorage(api, pass()), { code: 'server-error' }, path);
  }
});
