import t from 'tap';
import { publishBundle, readConfigurations } from '../../../src/kube/webhook-configurations.ts';
import { FakeClock, fakeApi, type Reply, status } from './fake-api.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const VALIDATING = `${GROUP}/validatingwebhookconfigurations/plimsoll`;
const MUTATING = `${GROUP}/mutatingwebhookconfigurations/plimsoll`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const configuration = (...webhooks: unknown[]): Reply => ({
  json: { metadata: { name: 'plimsoll', resourceVersion: '7' }, webhooks },
});
const webhook = (name: string, caBundle?: string) => ({
  name,
  clientConfig: { service: { name: 'plimsoll' }, ...(caBundle && { caBundle: base64(caBundle) }) },
});
const none = () => status(404, 'NotFound');

t.test('what is live', async (t) => {
  const validating = { kind: 'ValidatingWebhookConfiguration', name: 'plimsoll', resourceVersion: '7' };
  const mutating = { ...validating, kind: 'MutatingWebhookConfiguration' };
  const rows: readonly [string, Reply, Reply, object[]][] = [
    ['neither is there', none(), none(), []],
    [
      'both',
      configuration(webhook('v', 'A'), webhook('w')),
      configuration(webhook('m', 'B')),
      [
        {
          ...validating,
          webhooks: [
            { name: 'v', caBundle: 'A' },
            { name: 'w', caBundle: '' },
          ],
        },
        { ...mutating, webhooks: [{ name: 'm', caBundle: 'B' }] },
      ],
    ],
    [
      'only one',
      none(),
      configuration(webhook('m')),
      [{ ...mutating, webhooks: [{ name: 'm', caBundle: '' }] }],
    ],
    ['without webhooks', configuration(), none(), [{ ...validating, webhooks: [] }]],
  ];
  for (const [name, one, other, found] of rows) {
    const { api } = await fakeApi(t, ({ path }) =>
      path === VALIDATING ? one : path === MUTATING ? other : none(),
    );
    t.same(await readConfigurations(api, 'plimsoll', new FakeClock().pass()), found, name);
  }
  const { api } = await fakeApi(t, ({ path }) => (path === MUTATING ? status(403, 'Forbidden') : none()));
  await t.rejects(readConfigurations(api, 'plimsoll', new FakeClock().pass()), { code: 'forbidden' });
});

t.test('only caBundle is written, only where it differs, and only upon what was read', async (t) => {
  const { api, seen } = await fakeApi(t, ({ method, path }) => {
    if (method === 'PATCH') return { json: {} };
    return path === VALIDATING
      ? configuration(webhook('v', 'A'), webhook('w', 'B'))
      : configuration(webhook('m', 'A'));
  });
  const pass = new FakeClock().pass();
  const live = await readConfigurations(api, 'plimsoll', pass);
  seen.length = 0;
  await publishBundle(api, live, 'A', pass);
  t.match(seen, [
    {
      method: 'PATCH',
      path: VALIDATING,
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    },
  ]);
  t.equal(seen.length, 1);
  t.equal(seen[0]!.query.get('fieldManager'), 'plimsoll');
  t.same(JSON.parse(seen[0]!.body), {
    metadata: { resourceVersion: '7' },
    webhooks: [
      { name: 'v', clientConfig: { caBundle: base64('A') } },
      { name: 'w', clientConfig: { caBundle: base64('A') } },
    ],
  });
  seen.length = 0;
  await publishBundle(api, live, 'C', pass);
  t.same(
    seen.map(({ path }) => path),
    [VALIDATING, MUTATING],
  );
});

t.test('someone else was quicker', async (t) => {
  const { api } = await fakeApi(t, ({ method, path }) =>
    method === 'PATCH' ? status(409, 'Conflict') : path === VALIDATING ? configuration(webhook('v')) : none(),
  );
  const pass = new FakeClock().pass();
  const live = await readConfigurations(api, 'plimsoll', pass);
  await t.rejects(publishBundle(api, live, 'A', pass), { code: 'conflict' });
});
