import { createRequire } from 'node:module';
import { AwsV4Signer } from 'aws4fetch';
import t from 'tap';
import { request as send } from 'undici';
import { openS3 } from '../../src/source/s3.ts';
import { scratch } from '../fixtures/source/daemon.ts';
import { context, pattern } from '../fixtures/source/loopback.ts';

/** The part of the S3 server that is used here; its package has no types. */
interface S3Server {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
}
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => S3Server;

const BYTES = pattern(300_000);
const KEYS = { accessKeyId: 'S3RVER', secretKey: 'S3RVER' };
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: scratch(t),
  serviceEndpoint: 'example.com',
  configureBuckets: [{ name: 'images', configs: [] }],
});
const { port } = await server.run();
t.teardown(() => server.close());

const KEY = 'linux/disk 1+2.qcow2';
const put = await new AwsV4Signer({
  method: 'PUT',
  url: `http://127.0.0.1:${port}/images/${encodeURIComponent(KEY)}`,
  accessKeyId: KEYS.accessKeyId,
  secretAccessKey: KEYS.secretKey,
  service: 's3',
  region: 'us-east-1',
}).sign();
const stored = await send(put.url, { method: 'PUT', headers: Object.fromEntries(put.headers), body: BYTES });
await stored.body.dump();
t.equal(stored.statusCode, 200, 'the object is stored');

t.test('an object in a store that checks signatures', async (t) => {
  const rows: [string, string][] = [
    ['bucket in the path', `http://127.0.0.1:${port}/images/linux/disk%201+2.qcow2`],
    ['bucket in the path, by name', `http://s3.example.com:${port}/images/linux/disk%201%2B2.qcow2`],
  ];
  for (const [name, url] of rows) {
    const source = await openS3({ kind: 's3', url, credentials: KEYS }, context());
    t.equal(source.size, 300_000n, name);
    t.match(source.identity, /^"[0-9a-f]{32}"$/, name);
    t.ok(Buffer.from(await source.read({ offset: 0n, length: 512 })).equals(BYTES.subarray(0, 512)), name);
    t.ok(
      Buffer.from(await source.read({ offset: 299_000n, length: 5000 })).equals(BYTES.subarray(299_000)),
      name,
    );
    t.equal(source.cost.requests, 2, name);
    source.close();
  }
});

t.test('what it refuses', async (t) => {
  const base = `http://127.0.0.1:${port}/images`;
  const wrong = { ...KEYS, secretKey: 'wrong' };
  const rows: [string, Parameters<typeof openS3>[0], string][] = [
    [
      'another key',
      { kind: 's3', url: `${base}/linux/disk%201+2.qcow2`, credentials: wrong },
      'needs-credentials',
    ],
    ['no such object', { kind: 's3', url: `${base}/none`, credentials: KEYS }, 'not-found'],
    [
      'no such bucket',
      { kind: 's3', url: `http://127.0.0.1:${port}/none/none`, credentials: KEYS },
      'not-found',
    ],
  ];
  for (const [name, request, code] of rows) await t.rejects(openS3(request, context()), { code }, name);
});
