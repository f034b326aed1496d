import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { openHttp } from '../../src/source/http.ts';
import type { SourceError, SourceRequest } from '../../src/source/source.ts';
import { certificateFor } from '../fixtures/source/certificate.ts';
import { daemon, freePorts, scratch } from '../fixtures/source/daemon.ts';
import { context, httpRequest, pattern } from '../fixtures/source/loopback.ts';

const BYTES = pattern(3_000_000);
const ZIPPED = gzipSync(BYTES);
const CERTIFICATE = certificateFor('files.example.com');
const folder = scratch(t);
const [plain = 0, secure = 0] = await freePorts(2);

mkdirSync(join(folder, 'files'));
for (const [name, content] of [
  ['disk.img', BYTES],
  ['empty.img', ''],
  ['short.img', BYTES.subarray(0, 600)],
  ['disk.img.gz', ZIPPED],
  ['page.html', '<!DOCTYPE html><title>Not here</title>'],
] as const)
  writeFileSync(join(folder, 'files', name), content);
writeFileSync(join(folder, 'key.pem'), CERTIFICATE.key);
writeFileSync(join(folder, 'cert.pem'), CERTIFICATE.cert);
writeFileSync(join(folder, 'passwords'), 'user:{PLAIN}secret\n');
writeFileSync(
  join(folder, 'nginx.conf'),
  `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  types { text/html html; application/gzip gz; application/octet-stream img; }
  server {
    listen 127.0.0.1:${plain};
    listen 127.0.0.1:${secure} ssl;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    root ${folder}/files;
    location /norange/ { alias ${folder}/files/; max_ranges 0; }
    location /plainly/ { alias ${folder}/files/; etag off; }
    location /encoded/ { alias ${folder}/files/; add_header Content-Encoding gzip; }
    location /private/ { alias ${folder}/files/; auth_basic files; auth_basic_user_file ${folder}/passwords; }
    location /secret/ { alias ${folder}/files/; if ($http_x_token != let-me-in) { return 403; } }
    location /moved/ { rewrite ^/moved/(.*)$ /$1 permanent; }
    location /down/ { return 302 http://127.0.0.1:${plain}/disk.img; }
    location /up/ { return 307 https://127.0.0.1:${secure}/disk.img; }
    location /loop/ { return 302 /loop/; }
    location /away/ { return 302 http://files.example.com:${plain}/private/disk.img; }
    location /chunked/ { alias ${folder}/files/; ssi on; ssi_types application/octet-stream; }
  }
}
`,
);
await daemon(t, 'nginx', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], secure);

const http = `http://127.0.0.1:${plain}`;
const https = `https://127.0.0.1:${secure}`;
const named = `https://files.example.com:${secure}`;
const trust = { ca: CERTIFICATE.cert };
const user = { credentials: { accessKeyId: 'user', secretKey: 'secret' } };

t.test('what nginx serves', async (t) => {
  const rows: [string, string, Partial<SourceRequest>, bigint, number][] = [
    // name, URL, request, size, requests
    ['http', `${http}/disk.img`, {}, 3_000_000n, 1],
    ['https', `${named}/disk.img`, trust, 3_000_000n, 1],
    ['https by address', `${https}/disk.img`, trust, 3_000_000n, 1],
    ['no ETag', `${http}/plainly/disk.img`, {}, 3_000_000n, 1],
    ['gzip, as a file', `${http}/disk.img.gz`, {}, BigInt(ZIPPED.length), 1],
    ['gzip, said to be an encoding', `${http}/encoded/disk.img.gz`, {}, BigInt(ZIPPED.length), 1],
    ['a redirect', `${http}/moved/disk.img`, {}, 3_000_000n, 2],
    ['a redirect up', `${http}/up/`, trust, 3_000_000n, 2],
    ['a password', `${http}/private/disk.img`, user, 3_000_000n, 1],
    [
      'a secret header',
      `${http}/secret/disk.img`,
      { secretHeaders: { 'X-Token': 'let-me-in' } },
      3_000_000n,
      1,
    ],
  ];
  for (const [name, url, request, size, requests] of rows) {
    const wanted = url.endsWith('.gz') ? ZIPPED : BYTES;
    const source = await openHttp(httpRequest(url, request), context());
    t.equal(source.size, size, name);
    t.equal(source.cost.requests, requests, name);
    const tail = size - 1000n;
    t.ok(Buffer.from(await source.read({ offset: 0n, length: 512 })).equals(wanted.subarray(0, 512)), name);
    t.ok(Buffer.from(await source.read({ offset: tail, length: 2000 })).equals(wanted.subarray(-1000)), name);
    t.ok(source.cost.requests <= requests + 1, name);
    source.close();
  }
});

t.test('what it serves otherwise', async (t) => {
  const rows: [string, string, bigint | null][] = [
    ['an empty file', `${http}/empty.img`, 0n],
    ['a short file', `${http}/short.img`, 600n],
    ['no ranges', `${http}/norange/disk.img`, 3_000_000n],
    ['no ranges and no length', `${http}/chunked/disk.img`, null],
  ];
  for (const [name, url, size] of rows) {
    const source = await openHttp(httpRequest(url), context());
    t.equal(source.size, size, name);
    const length = Number(size ?? 512n) < 512 ? Number(size) : 512;
    t.ok(Buffer.from(await source.read({ offset: 0n, length: 512 })).equals(BYTES.subarray(0, length)), name);
    source.close();
  }
  const source = await openHttp(httpRequest(`${http}/norange/disk.img`), context());
  await t.rejects(source.read({ offset: 1_000_000n, length: 1 }), { code: 'over-budget' });
  t.ok(source.cost.bytesRead < 300_000, 'the rest is not read');
  source.close();
});

t.test('what it refuses, and what we do', async (t) => {
  const rows: [string, string, Partial<SourceRequest>, SourceError['code']][] = [
    ['not there', `${http}/none.img`, {}, 'not-found'],
    ['a password', `${http}/private/disk.img`, {}, 'needs-credentials'],
    ['a password over another origin’s redirect', `${http}/away/`, user, 'needs-credentials'],
    ['a header', `${http}/secret/disk.img`, {}, 'needs-credentials'],
    ['a loop', `${http}/loop/`, {}, 'too-many-redirects'],
    ['from https to http', `${https}/down/`, trust, 'not-permitted'],
    ['an unknown authority', `${named}/disk.img`, {}, 'tls'],
    ['another name', `https://other.example.com:${secure}/disk.img`, trust, 'tls'],
    ['http to the TLS port', `http://127.0.0.1:${secure}/disk.img`, {}, 'bad-answer'],
    ['TLS to the http port', `https://127.0.0.1:${plain}/disk.img`, {}, 'tls'],
    ['a web page', `${http}/page.html`, {}, 'not-an-image'],
  ];
  for (const [name, url, request, code] of rows)
    await t.rejects(openHttp(httpRequest(url, request), context()), { code }, name);
});

t.test('a file that is replaced while it is read', async (t) => {
  for (const path of ['disk.img', 'plainly/disk.img']) {
    writeFileSync(join(folder, 'files', 'disk.img'), BYTES);
    const source = await openHttp(httpRequest(`${http}/${path}`), context());
    writeFileSync(join(folder, 'files', 'disk.img'), BYTES.subarray(0, 2_999_999));
    await t.rejects(source.read({ offset: 1_000_000n, length: 1 }), { code: 'changed' }, path);
    source.close();
  }
});
