import t from 'tap';
import { makeSecret, readSecret, writeSecret } from '../../../src/kube/secret.ts';
import { at } from '../../../src/object/object.ts';
import { FakeClock, fakeApi, status } from './fake-api.ts';
import { fakeCluster } from './fake-cluster.ts';

const SECRET = { namespace: 'ours', name: 'plimsoll-tls' };
const PATH = '/api/v1/namespaces/ours/secrets/plimsoll-tls';
const base64 = (text: string) => Buffer.from(text).toString('base64');

t.test('what is read', async (t) => {
  const rows: readonly [string, unknown, object][] = [
    ['no data', undefined, {}],
    ['null', null, {}],
    ['no object', ['a'], {}],
    ['texts', { a: base64('Ä\n'), b: '' }, { a: 'Ä\n', b: '' }],
    ['what is no text', { a: 1 }, { a: '' }],
  ];
  for (const [name, data, texts] of rows) {
    const { api } = await fakeApi(t, () => ({ json: { kind: 'Secret', data } }));
    const stored = await readSecret(api, SECRET, new FakeClock().pass());
    t.same(stored?.texts, texts, name);
  }
});

t.test('none is null, anything else an error', async (t) => {
  const missing = await fakeApi(t, () => status(404, 'NotFound'));
  t.equal(await readSecret(missing.api, SECRET, new FakeClock().pass()), null);
  t.same(
    missing.seen.map(({ path }) => path),
    [PATH],
  );
  const forbidden = await fakeApi(t, () => status(403, 'Forbidden'));
  await t.rejects(readSecret(forbidden.api, SECRET, new FakeClock().pass()), { code: 'forbidden' });
});

t.test(
  'what is written takes the place of all that was stored, and leaves the rest of the object alone',
  async (t) => {
    const cluster = await fakeCluster(t);
    const pass = new FakeClock().pass();
    const labels = { of: 'the chart' };
    const secret = {
      kind: 'Secret',
      metadata: { name: 'plimsoll-tls', labels },
      type: 'Opaque',
      data: { z: '' },
    };
    await cluster.api.create('/api/v1/namespaces/ours/secrets', secret);
    const stored = await readSecret(cluster.api, SECRET, pass);
    await writeSecret(cluster.api, SECRET, stored!, { a: 'Ä' }, pass);
    t.match(cluster.objects.get(PATH), { metadata: { labels }, type: 'Opaque' });
    t.same(at(cluster.objects.get(PATH), 'data'), { a: base64('Ä') });
    await t.rejects(writeSecret(cluster.api, SECRET, stored!, { a: 'B' }, pass), { code: 'conflict' });
  },
);

t.test('a Secret is made by its name, and without content', async (t) => {
  const { api, seen } = await fakeApi(t, () => ({ json: { kind: 'Secret' } }));
  await makeSecret(api, SECRET, new FakeClock().pass());
  t.match(seen, [
    { method: 'PATCH', path: PATH, headers: { 'content-type': 'application/apply-patch+yaml' } },
  ]);
  const made: unknown = JSON.parse(seen[0]!.body);
  t.match(made, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'plimsoll-tls' }, type: 'Opaque' });
  t.equal(at(made, 'data'), undefined, 'or it would take away what another has filled in');
});
