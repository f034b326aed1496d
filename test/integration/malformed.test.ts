import { connect } from 'node:tls';
import t from 'tap';
import { type HttpAnswer, multus, patchOf, responseOf, reviewOf, startWebhook } from './harness.ts';

// Keys take a while to make on a busy machine.
t.setTimeout(120_000);

const webhook = await startWebhook(t, { probe: { addresses: { mode: 'off' } } });
const PATHS = ['/validate', '/mutate'];

const MiB = 1024 * 1024;
const reviewText = (asked: object) => JSON.stringify(reviewOf(asked));
const WHOLE = reviewText({ uid: 'u', operation: 'CREATE', object: { kind: 'Thing' } });

/** Whatever was sent before, the webhook goes on. */
async function stillAnswers(t: { equal(found: unknown, wanted: unknown, ...what: [string]): void }) {
  const { allowed } = await webhook.review('/validate', { object: { kind: 'Thing' } });
  t.equal(allowed, true, 'the webhook still answers');
  t.equal((await webhook.health('/healthz')).status, 200, 'and is healthy');
}

const REFUSED: readonly { name: string; body: string | Buffer; status: number; message: RegExp }[] = [
  { name: 'an empty body', body: '', status: 400, message: /the body is/ },
  { name: 'no JSON', body: 'hello', status: 400, message: /the body is not JSON/ },
  { name: 'half a review', body: WHOLE.slice(0, -5), status: 400, message: /the body is not JSON/ },
  { name: 'two reviews', body: WHOLE + WHOLE, status: 400, message: /the body is not JSON/ },
  { name: 'bytes that are no text', body: Buffer.from([0xff, 0xfe, 0x00]), status: 400, message: /not JSON/ },
  { name: 'null', body: 'null', status: 400, message: /not an AdmissionReview/ },
  { name: 'a list', body: `[${WHOLE}]`, status: 400, message: /not an AdmissionReview/ },
  { name: 'a text', body: '"AdmissionReview"', status: 400, message: /not an AdmissionReview/ },
  { name: 'an empty object', body: '{}', status: 400, message: /not an AdmissionReview/ },
  {
    name: 'another kind',
    body: WHOLE.replace('AdmissionReview', 'ConversionReview'),
    status: 400,
    message: /not an AdmissionReview/,
  },
  {
    name: 'another version',
    body: WHOLE.replace('admission.k8s.io/v1', 'admission.k8s.io/v1beta1'),
    status: 400,
    message: /not an AdmissionReview of admission\.k8s\.io\/v1/,
  },
  {
    name: 'no request',
    body: JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }),
    status: 400,
    message: /no request with a uid/,
  },
  ...[null, 'request', 1, []].map((request) => ({
    name: `a request that is ${JSON.stringify(request)}`,
    body: JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }),
    status: 400,
    message: /no request with a uid/,
  })),
  ...[undefined, '', null, 7, {}, ['u']].map((uid) => ({
    name: `a uid that is ${JSON.stringify(uid) ?? 'missing'}`,
    body: reviewText({ uid, operation: 'CREATE', object: {} }),
    status: 400,
    message: /no request with a uid/,
  })),
  {
    name: 'more than 7 MiB',
    body: reviewText({ uid: 'u', operation: 'CREATE', object: { data: 'x'.repeat(7 * MiB) } }),
    status: 413,
    message: /too large/i,
  },
];

for (const { name, body, status, message } of REFUSED)
  t.test(`refused: ${name}`, async (t) => {
    for (const path of PATHS) {
      const answer = await webhook.send(path, body);
      t.equal(answer.status, status, path);
      t.match((JSON.parse(answer.text) as { message: string }).message, message);
    }
    await stillAnswers(t);
  });

const ROUTES: readonly { name: string; send: () => Promise<HttpAnswer>; status: number }[] = [
  {
    name: 'GET',
    send: () => webhook.send('/validate', '', { method: 'GET', contentType: null }),
    status: 404,
  },
  { name: 'PUT', send: () => webhook.send('/validate', WHOLE, { method: 'PUT' }), status: 404 },
  { name: 'an unknown path', send: () => webhook.send('/', WHOLE), status: 404 },
  { name: 'a path beneath', send: () => webhook.send('/validate/x', WHOLE), status: 404 },
  { name: 'a path that is no URI', send: () => webhook.send('/validate%zz', WHOLE), status: 400 },
  {
    name: 'text/plain',
    send: () => webhook.send('/validate', WHOLE, { contentType: 'text/plain' }),
    status: 415,
  },
  {
    name: 'no content type',
    send: () => webhook.send('/validate', WHOLE, { contentType: null }),
    status: 415,
  },
  ...['/healthz', '/readyz', '/metrics'].map((path) => ({
    name: `${path}, which is on the other port`,
    send: () => webhook.send(path, '', { method: 'GET', contentType: null }),
    status: 404,
  })),
];

for (const { name, send, status } of ROUTES)
  t.test(`refused: ${name}`, async (t) => {
    t.equal((await send()).status, status);
    await stillAnswers(t);
  });

for (const contentType of [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
])
  t.test(`taken: ${contentType}`, async (t) => {
    t.equal(responseOf(await webhook.send('/validate', WHOLE, { contentType }), 'u').allowed, true);
  });

/** An annotation map with a key that a careless parser drops, refuses or obeys; written out, since a literal would obey. */
const withKey = (key: string) =>
  JSON.stringify(multus('50Mi')).replace(
    '"metadata":{',
    `"metadata":{"annotations":{${JSON.stringify(key)}:"kept","a":"b"},`,
  );

for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])
  t.test(`taken: an annotation called ${key}`, async (t) => {
    const body = reviewText({ uid: 'u', operation: 'CREATE', object: 'OBJECT' }).replace(
      '"OBJECT"',
      withKey(key),
    );
    t.equal(responseOf(await webhook.send('/validate', body), 'u').allowed, true);
    const response = responseOf(await webhook.send('/mutate', body), 'u');
    t.same(
      patchOf(response).map(({ path }) => path),
      [
        '/spec/template/spec/containers/0/resources/limits/memory',
        '/spec/template/spec/containers/0/resources/requests/memory',
      ],
      'and the patch touches nothing but the two values',
    );
  });

t.test('taken: __proto__ where an object of ours is expected', async (t) => {
  const object =
    '{"apiVersion":"cdi.kubevirt.io/v1beta1","kind":"CDI","metadata":{"name":"cdi"},"__proto__":{"spec":{"config":{}}},"spec":{"__proto__":{"config":{"podResourceRequirements":{"limits":{"memory":"8Gi"}}}}}}';
  const body = reviewText({ uid: 'u', operation: 'CREATE', object: 'OBJECT' }).replace('"OBJECT"', object);
  const response = responseOf(await webhook.send('/mutate', body), 'u');
  t.same(
    patchOf(response).at(-1),
    { op: 'add', path: '/spec/config/podResourceRequirements/limits/memory', value: '2Gi' },
    'what is inherited is not there',
  );
});

t.test('taken: numbers beyond 2^53, which are nowhere in the patch', async (t) => {
  const object = JSON.stringify(multus('50Mi')).replace(
    '"metadata":{',
    '"metadata":{"generation":9223372036854775807,"annotations":{},"managedFields":[{"n":1e400}],',
  );
  const body = reviewText({ uid: 'u', operation: 'CREATE', object: 'OBJECT' }).replace('"OBJECT"', object);
  const response = responseOf(await webhook.send('/mutate', body), 'u');
  t.same(
    patchOf(response).map(({ value }) => value),
    ['500Mi', '500Mi'],
  );
});

t.test('taken: an object of 6.9 MiB', async (t) => {
  const object = { ...multus('50Mi'), data: 'x'.repeat(6.9 * MiB) };
  const body = reviewText({ uid: 'u', operation: 'CREATE', object });
  for (const path of PATHS) t.equal(responseOf(await webhook.send(path, body), 'u').allowed, true);
  await stillAnswers(t);
});

/** As much as the body limit lets in at the most. */
for (const depth of [10_000, 1_000_000])
  t.test(`taken: ${depth} levels`, async (t) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"":', '}'],
    ] as const) {
      const deep = `${open.repeat(depth)}1${close.repeat(depth)}`;
      for (const place of ['"spec":{', '"metadata":{', '"resources":{', '"limits":{']) {
        const object = JSON.stringify(multus('50Mi')).replace(place, `${place}"deep":${deep},`);
        const body = reviewText({ uid: 'u', operation: 'CREATE', object: 'OBJECT' }).replace(
          '"OBJECT"',
          object,
        );
        for (const path of PATHS)
          t.equal(responseOf(await webhook.send(path, body), 'u').allowed, true, `${path} ${place}`);
      }
    }
    await stillAnswers(t);
  });

t.test('taken: the uid comes back as it was sent', async (t) => {
  for (const uid of [
    '705ab4f5-6393-11e8-b7cc-42010a800002',
    '__proto__',
    'ü "\\ \u2028 \ud800',
    'x'.repeat(5000),
  ]) {
    const answer = await webhook.send('/validate', reviewText({ uid, operation: 'CREATE', object: {} }));
    t.equal(responseOf(answer, uid).allowed, true);
  }
});

t.test('taken: any timeout', async (t) => {
  for (const query of [
    '',
    '?timeout=',
    '?timeout=10s',
    '?timeout=0s',
    '?timeout=-1s',
    '?timeout=soon',
    '?timeout=1s&timeout=2s',
    '?timeout[]=1',
    '?__proto__=1',
    '?timeout=9999999999999s',
  ])
    t.equal(responseOf(await webhook.send(`/validate${query}`, WHOLE), 'u').allowed, true, query);
});

t.test('a connection that speaks no HTTP, or stops in the middle, harms nobody', async (t) => {
  const head = 'POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  for (const text of [
    'hello\r\n\r\n',
    `${head}Content-Length: 1000\r\n\r\n{"half":`,
    `${head}Content-Length: nonsense\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ]) {
    const socket = connect({
      host: '127.0.0.1',
      port: webhook.server.port,
      ca: webhook.certificates.authority.certificatePem,
    });
    socket.on('error', () => {});
    await new Promise<void>((resolve) => socket.once('secureConnect', resolve));
    await new Promise<void>((resolve) => socket.write(text, () => resolve()));
    socket.destroy();
  }
  await stillAnswers(t);
});

t.test('what was no review was counted', async (t) => {
  const { text } = await webhook.health('/metrics');
  const [, count] = /^plimsoll_malformed_requests_total (\d+)$/m.exec(text) ?? [];
  t.ok(Number(count) > 20, `${count} of them`);
  t.notMatch(webhook.log(), 'review failed');
});
