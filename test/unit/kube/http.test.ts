import t from 'tap';
import { Agent } from 'undici';
import { type KubeError, kubeErrorCode } from '../../../src/kube/failures.ts';
import { createKubeApi } from '../../../src/kube/http.ts';
import { fakeApi, type Reply, status } from './fake-api.ts';

const failure = async (promise: Promise<unknown>): Promise<KubeError> => {
  try {
    await promise;
  } catch (error) {
    return error as KubeError;
  }
  throw new Error('it did not fail');
};

t.test('what is sent', async (t) => {
  const { api, seen } = await fakeApi(t, () => ({ json: { kind: 'X' } }));
  const object = { kind: 'ConfigMap', metadata: { name: 'a', resourceVersion: '7' } };
  t.same(await api.get('/api/v1/namespaces/a/configmaps/b'), { kind: 'X' });
  await api.list('/api/v1/pods', {
    limit: 500,
    continueToken: 'a+b/c=',
    fieldSelector: 'status.phase!=Failed',
    as: 'table',
  });
  await api.list('/api/v1/nodes', { limit: 1 });
  await api.create('/api/v1/namespaces/a/configmaps', object);
  await api.update('/api/v1/namespaces/a/configmaps/a', object);
  await api.apply('/api/v1/namespaces/a/configmaps/a', object, 'plimsoll');
  await api.merge('/api/v1/namespaces/a/configmaps/a', object, 'plimsoll');
  await api.delete('/api/v1/namespaces/a/configmaps/a');

  const json = 'application/json';
  t.same(
    seen.map(({ method, path, query, headers }) => [
      method,
      path,
      Object.fromEntries(query),
      headers.accept,
      headers['content-type'],
    ]),
    [
      ['GET', '/api/v1/namespaces/a/configmaps/b', {}, json, undefined],
      [
        'GET',
        '/api/v1/pods',
        { limit: '500', continue: 'a+b/c=', fieldSelector: 'status.phase!=Failed', includeObject: 'None' },
        'application/json;as=Table;v=v1;g=meta.k8s.io',
        undefined,
      ],
      ['GET', '/api/v1/nodes', { limit: '1' }, json, undefined],
      ['POST', '/api/v1/namespaces/a/configmaps', {}, json, json],
      ['PUT', '/api/v1/namespaces/a/configmaps/a', {}, json, json],
      [
        'PATCH',
        '/api/v1/namespaces/a/configmaps/a',
        { fieldManager: 'plimsoll', force: 'true' },
        json,
        'application/apply-patch+yaml',
      ],
      [
        'PATCH',
        '/api/v1/namespaces/a/configmaps/a',
        { fieldManager: 'plimsoll' },
        json,
        'application/strategic-merge-patch+json',
      ],
      ['DELETE', '/api/v1/namespaces/a/configmaps/a', {}, json, undefined],
    ],
  );
  for (const { headers } of seen) {
    t.equal(headers.authorization, 'Bearer x');
    t.equal(headers['user-agent'], 'plimsoll/test');
  }
  for (const { body } of seen.slice(3, -1)) t.same(JSON.parse(body), object);
});

t.test('a dry run is asked for by its parameter', async (t) => {
  const { api, seen } = await fakeApi(t, () => ({ json: {} }));
  const object = { metadata: { name: 'a', resourceVersion: '7' } };
  await api.update('/x', object, { dryRun: true });
  await api.update('/x', object, { dryRun: false });
  t.same(
    seen.map(({ query }) => Object.fromEntries(query)),
    [{ dryRun: 'All' }, {}],
  );
});

t.test('an object without a resourceVersion is not sent to replace another', async (t) => {
  const { api, seen } = await fakeApi(t, () => ({}));
  const error = await failure(api.update('/x', { metadata: { name: 'a' } }));
  t.equal(error.code, 'bad-request');
  t.equal(seen.length, 0);
});

const redirect = { location: 'http://127.0.0.1:1/' };
const replies: readonly (readonly [name: string, reply: Reply, code: string, reason?: string])[] = [
  ['bad request', status(400, 'BadRequest'), 'bad-request', 'BadRequest'],
  ['no credentials', status(401, 'Unauthorized'), 'unauthorized', 'Unauthorized'],
  ['not permitted', status(403, 'Forbidden'), 'forbidden', 'Forbidden'],
  ['missing', status(404, 'NotFound'), 'not-found', 'NotFound'],
  ['missing group, in words', { status: 404, text: '404 page not found' }, 'not-found'],
  ['other version', status(409, 'Conflict'), 'conflict', 'Conflict'],
  ['exists', status(409, 'AlreadyExists'), 'conflict', 'AlreadyExists'],
  ['too old', status(410, 'Expired'), 'expired', 'Expired'],
  ['invalid', status(422, 'Invalid'), 'bad-request', 'Invalid'],
  ['busy', status(429, 'TooManyRequests'), 'too-many-requests', 'TooManyRequests'],
  ['broken', status(500, 'InternalError'), 'server-error', 'InternalError'],
  ['stopping', status(503, 'ServiceUnavailable'), 'unavailable', 'ServiceUnavailable'],
  ['elsewhere', { status: 302, headers: redirect }, 'bad-answer'],
  ['a teapot', { status: 418, text: 'x' }, 'bad-answer'],
  ['a reason that is none', status(403, 'be\nware'), 'forbidden'],
  ['a failure without end', { status: 500, text: 'x'.repeat(100_000) }, 'server-error'],
  ['a page of HTML', { text: '<html>' }, 'bad-answer'],
  ['half of JSON', { text: '{"kind":' }, 'bad-answer'],
  ['nothing', { text: '' }, 'bad-answer'],
  ['a list', { json: [] }, 'bad-answer'],
  ['null', { text: 'null' }, 'bad-answer'],
  ['a body that ends early', { json: { a: 'b'.repeat(100) }, cut: true }, 'unreachable'],
  ['just small enough', { json: { a: 'b'.repeat(992) } }, ''],
  ['too large by a byte', { json: { a: 'b'.repeat(993) } }, 'too-large'],
  ['no answer', 'hang', 'timed-out'],
];

t.test('what comes back', async (t) => {
  for (const [name, reply, code, reason] of replies)
    await t.test(name, async (t) => {
      const { api, seen } = await fakeApi(t, () => reply, { maxBytes: 1000, timeoutMs: 2000 });
      const asked = api.get('/api/v1/pods', { timeoutMs: reply === 'hang' ? 50 : 2000 });
      if (code === '') return void t.ok(await asked);
      const error = await failure(asked);
      t.equal(kubeErrorCode(error), code);
      t.equal(error.reason, reason ?? null);
      t.equal(seen.length, 1);
      t.match(error.message, /^GET \/api\/v1\/pods: /);
      t.notMatch(error.message, /secret|html|ware|[\n]/);
    });
});

const delays: readonly (readonly [header: string | undefined, ms: number | null])[] = [
  ['0', 0],
  ['1', 1000],
  ['99999', 99_999_000],
  ['100000', null],
  ['-1', null],
  ['1.5', null],
  ['Wed, 21 Oct 2026 07:28:00 GMT', null],
  [undefined, null],
];

t.test('how long a busy server asks to be left alone', async (t) => {
  for (const [header, ms] of delays) {
    const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header };
    const { api } = await fakeApi(t, () => status(429, 'TooManyRequests', headers));
    t.equal((await failure(api.get('/x'))).retryAfterMs, ms, `${header}`);
  }
});

t.test('the caller can give up', async (t) => {
  const controller = new AbortController();
  const { api } = await fakeApi(t, () => {
    controller.abort();
    return 'hang';
  });
  t.equal((await failure(api.get('/x', { signal: controller.signal }))).code, 'stopped');
  t.equal((await failure(api.get('/x', { signal: controller.signal }))).code, 'stopped');
});

t.test('nobody listens', async (t) => {
  const dispatcher = new Agent();
  t.teardown(() => dispatcher.destroy());
  const access = { server: 'http://127.0.0.1:1', authorize: async () => ({ headers: {}, dispatcher }) };
  const api = createKubeApi(access, { userAgent: 'x', timeoutMs: 2000, maxBytes: 1000 });
  t.equal((await failure(api.get('/x'))).code, 'unreachable');
});

t.test('credentials that do not come in time', async (t) => {
  // No socket is open that would keep this process from ending.
  const alive = setInterval(() => {}, 1000);
  t.teardown(() => clearInterval(alive));
  const access = { server: 'http://127.0.0.1:1', authorize: () => new Promise<never>(() => {}) };
  const api = createKubeApi(access, { userAgent: 'x', timeoutMs: 20, maxBytes: 1000 });
  t.equal((await failure(api.get('/x'))).code, 'timed-out');
});

t.test('no time left at all', async (t) => {
  const { api } = await fakeApi(t, () => 'hang');
  t.equal((await failure(api.get('/x', { timeoutMs: -5 }))).code, 'timed-out');
});
