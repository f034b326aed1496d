import type { ServerResponse } from 'node:http';
import t from 'tap';
import { Client } from '../../../src/source/client.ts';
import { Repository } from '../../../src/source/repository.ts';
import type { SourceRequest } from '../../../src/source/source.ts';
import { context, serve } from '../../fixtures/source/loopback.ts';
import { digestOf } from '../../fixtures/source/registry.ts';

const DOCUMENT = Buffer.from('{"config":{}}');
const USER = { accessKeyId: 'user', secretKey: 'secret' };
const BASIC = `Basic ${Buffer.from('user:secret').toString('base64')}`;

type Answer = (response: ServerResponse) => void;
const send =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);
const token = (value: unknown): Answer => send(200, {}, JSON.stringify(value));

/** A registry that wants the token `t`, and whose token server gives `answer`. */
async function registry(
  t: Parameters<typeof serve>[0],
  answer: Answer,
  challenge = 'Bearer realm="REALM/token?a=b",service="s"',
) {
  const server = await serve(t, (request, response) => {
    if (request.url?.startsWith('/token')) answer(response);
    else if (request.headers.authorization === 'Bearer t') send(200, {}, DOCUMENT)(response);
    else
      send(401, { 'www-authenticate': challenge.replace('REALM', `http://${request.headers.host}`) })(
        response,
      );
  });
  const open = (over: Partial<SourceRequest> = {}) => {
    const client = new Client(context(), {});
    t.teardown(() => client.close());
    const reference = { host: `127.0.0.1:${server.port}`, name: 'disks/one', version: 'latest' };
    return new Repository(client, reference, 'http', { kind: 'registry', url: '', ...over });
  };
  return { server, open };
}

t.test('one token serves the whole repository', async (t) => {
  const { open, server } = await registry(t, token({ token: 't' }));
  const repository = open();
  t.same(await repository.manifest('latest'), { config: {} });
  t.same(await repository.document(digestOf(DOCUMENT)), { config: {} });
  (await repository.blob('sha256:x')).body.destroy();
  t.same(
    server.requests.map(({ url }) => url),
    [
      '/v2/disks/one/manifests/latest',
      '/token?a=b&scope=repository%3Adisks%2Fone%3Apull&service=s',
      '/v2/disks/one/manifests/latest',
      `/v2/disks/one/blobs/${digestOf(DOCUMENT)}`,
      '/v2/disks/one/blobs/sha256:x',
    ],
  );
  t.equal(new Set(server.clientPorts).size, 1, 'over one connection');
});

t.test('who sees the credentials', async (t) => {
  const { open, server } = await registry(t, token({ access_token: 't' }));
  await open({ credentials: USER }).manifest('latest');
  await open().manifest('latest');
  t.same(
    server.requests.map(({ headers }) => headers.authorization),
    [undefined, BASIC, 'Bearer t', undefined, undefined, 'Bearer t'],
    'the token server, when it is asked, and nobody before',
  );
});

t.test('token servers that are no use', async (t) => {
  const rows: [string, Answer, string][] = [
    ['no token', token({}), 'bad-answer'],
    ['a token that is no text', token({ token: 7 }), 'bad-answer'],
    ['a token with a line in it', token({ token: 'a\r\nb: c' }), 'bad-answer'],
    ['not JSON', send(200, {}, '<html>'), 'bad-answer'],
    ['a long answer', send(200, {}, ' '.repeat(65_537)), 'bad-answer'],
    ['another token', token({ token: 'other' }), 'needs-credentials'],
    ['refused', send(401), 'needs-credentials'],
    ['a redirect inside', send(302, { location: 'http://169.254.169.254/token' }), 'not-permitted'],
    ['broken', send(500), 'bad-answer'],
  ];
  for (const [name, answer, code] of rows) {
    const { open, server } = await registry(t, answer);
    await t.rejects(open().manifest('latest'), { code }, name);
    t.ok(server.requests.length <= 3, `${name}: asked once`);
  }
});

t.test('challenges that cannot be met', async (t) => {
  for (const challenge of ['Negotiate', 'Bearer service="s"', 'Basic realm="x"']) {
    const { open } = await registry(t, token({ token: 't' }), challenge);
    await t.rejects(open().manifest('latest'), { code: 'needs-credentials' }, challenge);
  }
});

t.test('content is what its digest says', async (t) => {
  const { open } = await registry(t, token({ token: 't' }));
  await t.rejects(open().manifest(digestOf(Buffer.from('other'))), { code: 'bad-answer' });
  await t.rejects(open().document(`sha512:${'00'.repeat(64)}`), { code: 'bad-answer' });
});
