import t from 'tap';
import { openS3, regionOf } from '../../../src/source/s3.ts';
import { context, pattern, serve, serveBytes } from '../../fixtures/source/loopback.ts';
import { verifySigV4 } from '../../fixtures/source/sigv4.ts';

const BYTES = pattern(100_000);
const KEYS = { accessKeyId: 'AKIAEXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

t.test('every range is signed, whatever the key’s name', async (t) => {
  const regions: unknown[] = [];
  const server = await serve(t, (q, s) => {
    const { valid, region } = verifySigV4(q, KEYS.accessKeyId, KEYS.secretKey);
    regions.push(region);
    if (valid) serveBytes(q, s, BYTES, { etag: '"x"' });
    else s.writeHead(403).end();
  });
  const rows: [string, string][] = [
    ['/bucket/disk.img', '/bucket/disk.img'],
    ['/bucket/a/b/c d+e%20f.img', '/bucket/a/b/c%20d%2Be%20f.img'],
    ['/bucket/ü~(1)!*%27.img', '/bucket/%C3%BC~(1)!*%27.img'],
    ['/bucket/x?versionId=1', '/bucket/x'],
    ['/key-of-a-bucket-in-the-host', '/key-of-a-bucket-in-the-host'],
  ];
  for (const [path, asked] of rows) {
    server.requests.length = 0;
    const url = `http://minio.example.com:${server.port}${path}`;
    const source = await openS3({ kind: 's3', url, credentials: KEYS }, context());
    t.equal((await source.read({ offset: 70_000n, length: 10 })).length, 10, path);
    t.same(
      server.requests.map(({ url }) => url),
      [asked, asked],
    );
    source.close();
  }
  t.same(new Set(regions), new Set(['minio']));
  const wrong = {
    kind: 's3',
    url: `${server.origin}/b/k`,
    credentials: { ...KEYS, secretKey: 'x' },
  } as const;
  await t.rejects(openS3(wrong, context()), { code: 'needs-credentials' });
});

t.test('without credentials nothing is signed', async (t) => {
  const server = await serve(t, (q, s) => serveBytes(q, s, BYTES));
  const source = await openS3({ kind: 's3', url: `${server.origin}/b/k` }, context());
  t.notOk('authorization' in (server.requests[0]?.headers ?? {}));
  source.close();
  for (const url of ['s3://bucket/key', 'gs://bucket/key', 'bucket/key', 'https://a:b@c/d/e'])
    await t.rejects(openS3({ kind: 's3', url }, context()), { code: 'bad-url' }, url);
});

t.test('a signature is for one host', async (t) => {
  const other = await serve(t, (q, s) => serveBytes(q, s, BYTES));
  const server = await serve(t, (_, s) => void s.writeHead(307, { location: `${other.origin}/b/k` }).end());
  const request = { kind: 's3', url: `${server.origin}/b/k`, credentials: KEYS } as const;
  (await openS3(request, context())).close();
  t.match(server.requests[0]?.headers.authorization, /^AWS4-HMAC-SHA256 /);
  for (const name of ['authorization', 'x-amz-date', 'x-amz-content-sha256'])
    t.notOk(name in (other.requests[0]?.headers ?? {}), name);
});

t.test('regions', (t) => {
  const rows: [string, string][] = [
    ['s3.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['s3-eu-west-1.amazonaws.com', 'eu-west-1'],
    ['bucket.s3.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['a.bucket.s3.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['s3.dualstack.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['s3.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['s3.amazonaws.com', 'us-east-1'],
    ['bucket.s3.amazonaws.com', 'us-east-1'],
    ['minio.example.com', 'minio'],
    ['garage', 'garage'],
    ['127.0.0.1', '127'],
    ['[::1]', 'us-east-1'],
    ['a_b.example.com', 'us-east-1'],
    ['-.example.com', 'us-east-1'],
    ['s3.eu-west-1.amazonaws.com.evil.example', 's3'],
  ];
  for (const [host, region] of rows) t.equal(regionOf(host), region, host);
  t.end();
});
