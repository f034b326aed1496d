import t from 'tap';
import { Client, webUrl } from '../../../src/source/client.ts';
import { context, pattern, serve, serveBytes } from '../../fixtures/source/loopback.ts';

const BYTES = pattern(1000);

t.test('URLs of the web', (t) => {
  const rows: [string, string][] = [
    ['http://a.example.com', 'http://a.example.com/'],
    ['HTTPS://A.example.COM.:443/x?y#z', 'https://a.example.com/x?y'],
    ['http://a.example.com/a b', 'http://a.example.com/a%20b'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/'],
  ];
  for (const [text, href] of rows) t.equal(webUrl(text).href, href, text);
  for (const text of [
    '',
    'a',
    '//a/b',
    'ftp://a',
    'gs://a/b',
    'http://',
    'http://a:b@c/',
    'http://a@c/',
    'http://:b@c/',
  ])
    t.throws(() => webUrl(text), { code: 'bad-url' }, text);
  t.end();
});

t.test('documents are whole, and of bounded length', async (t) => {
  const server = await serve(t, (q, s) => {
    if (q.url === '/none') s.writeHead(404).end('x');
    else if (q.url === '/moved') s.writeHead(302, { location: '/x' }).end();
    else serveBytes(q, s, BYTES);
  });
  const client = new Client(context(), {});
  t.teardown(() => client.close());
  const document = (path: string, limit: number) =>
    client.document({ url: new URL(path, server.origin), headers: {} }, limit);
  t.same((await document('/x', 1000)).bytes, Buffer.from(BYTES));
  t.same((await document('/moved', 2000)).answer.url.pathname, '/x');
  await t.rejects(document('/x', 999), { code: 'bad-answer' });
  await t.rejects(document('/none', 1000), { code: 'not-found' });
  t.equal(client.spending.cost.requests, 5);
});

t.test('what is taken of an answer, and whether that was all', async (t) => {
  const server = await serve(t, (q, s) => serveBytes(q, s, BYTES));
  const client = new Client(context(), {});
  t.teardown(() => client.close());
  for (const [limit, length, ended] of [
    [1, 1, false],
    [999, 999, false],
    [1000, 1000, false],
    [1001, 1000, true],
  ] as const) {
    const { bytes, ...rest } = await client.take(
      await client.get({ url: new URL(server.origin), headers: {} }),
      limit,
    );
    t.same([bytes.length, rest.ended], [length, ended], `${limit}`);
  }
});

t.test('own headers go to the origin that they are for, ours last', async (t) => {
  const server = await serve(t, (q, s) => serveBytes(q, s, BYTES));
  const client = new Client(context(), {});
  t.teardown(() => client.close());
  const headers = { authorization: 'x', 'accept-encoding': 'gzip', accept: 'a' };
  for (const origin of [server.origin, 'https://elsewhere.example.com']) {
    const own = { origin, headers };
    await client.document({ url: new URL(server.origin), headers: { accept: 'b' }, own }, 2000);
  }
  t.match(server.requests[0]?.headers, { authorization: 'x', accept: 'b', 'accept-encoding': 'identity' });
  t.notOk('authorization' in (server.requests[1]?.headers ?? {}));
});
