import t from 'tap';
import { objectUrl, openGcs } from '../../../src/source/gcs.ts';
import { certificateFor } from '../../fixtures/source/certificate.ts';
import { context, pattern, serve, serveBytes } from '../../fixtures/source/loopback.ts';

t.test('where an object is served', (t) => {
  const store = 'https://storage.googleapis.com';
  const rows: [string, string][] = [
    ['gs://bucket/disk.img', `${store}/bucket/disk.img`],
    ['gs://bucket.example.com/a/b.img', `${store}/bucket.example.com/a/b.img`],
    ['gs://bucket/a b+c', `${store}/bucket/a%20b%2Bc`],
    ['gs://bucket/a%20b', `${store}/bucket/a%2520b`],
    ['gs://bucket/a?b#c', `${store}/bucket/a%3Fb%23c`],
    ['gs://bucket/a//b/', `${store}/bucket/a//b/`],
    ['gs://bucket/...', `${store}/bucket/...`],
    [' gs://bucket/a ', `${store}/bucket/a`],
    ['https://storage.googleapis.com/bucket/a%20b?x=y', `${store}/bucket/a%20b?x=y`],
    ['http://127.0.0.1:8080/bucket/a', 'http://127.0.0.1:8080/bucket/a'],
  ];
  for (const [text, url] of rows) t.equal(objectUrl(text).href, url, text);
  const bad = [
    'gs://',
    'gs://bucket',
    'gs://bucket/',
    'gs:///a',
    'gs://Bucket/a',
    'gs://b/a',
    'gs://a@b/c',
    'gs://bu%2fcket/a',
  ];
  for (const text of [
    ...bad,
    'gs://bucket/../other/a',
    'gs://bucket/./a',
    'gs://bucket/\ud800',
    's3://a/b',
    'x',
  ])
    t.throws(() => objectUrl(text), { code: 'bad-url' }, text);
  t.end();
});

t.test('an object is read, without credentials', async (t) => {
  const certificate = certificateFor('storage.googleapis.com');
  const server = await serve(t, (q, s) => serveBytes(q, s, pattern(1000), { etag: '"g"' }), certificate);
  const credentials = { accessKeyId: 'a', secretKey: 'b' };
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return [];
  };
  const request = { kind: 'gcs', ca: certificate.cert, credentials } as const;
  await t.rejects(openGcs({ ...request, url: 'gs://bucket/a' }, context({ resolve })), {
    code: 'unreachable',
  });
  t.same(asked, ['storage.googleapis.com']);
  const url = `https://storage.googleapis.com:${server.port}/bucket/a`;
  const source = await openGcs({ ...request, url }, context());
  t.equal(source.size, 1000n);
  t.equal(source.identity, '"g"');
  t.notOk('authorization' in (server.requests[0]?.headers ?? {}));
  source.close();
});
