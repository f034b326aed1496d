import type { IncomingMessage, ServerResponse } from 'node:http';
import t from 'tap';
import { openHttp } from '../../../src/source/http.ts';
import { SourceError, type SourceFailureCode } from '../../../src/source/source.ts';
import { context, httpRequest, pattern, serve, serveBytes } from '../../fixtures/source/loopback.ts';

const BYTES = pattern(300_000);
const SMALL = pattern(1000);
const ETAG = '"v1"';
const DATE = 'Mon, 06 Apr 2026 10:00:00 GMT';
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const at = (offset: number, length: number) => ({ offset: BigInt(offset), length });
const slice = (offset: number, length: number) => BYTES.subarray(offset, offset + length);
const same = (found: Uint8Array, wanted: Uint8Array) => Buffer.from(found).equals(wanted);

t.test('a server that knows ranges costs one request for the header', async (t) => {
  const server = await serve(t, (q, s) => serveBytes(q, s, BYTES, { etag: ETAG }));
  const source = await openHttp(
    httpRequest(`${server.origin}/a%20b/x.qcow2?sig=a%2Fb&x=%7E#part`),
    context(),
  );
  t.equal(source.size, 300_000n);
  t.equal(source.identity, ETAG);
  t.same(source.cost, { bytesRead: 65536, requests: 1 });
  t.ok(same(await source.read(at(0, 512)), slice(0, 512)));
  t.ok(same(await source.read(at(65535, 1)), slice(65535, 1)));
  t.equal(server.requests.length, 1);
  const [first] = server.requests;
  t.equal(first?.method, 'GET');
  t.equal(first?.url, '/a%20b/x.qcow2?sig=a%2Fb&x=%7E', 'path and query byte for byte');
  t.match(first?.headers, {
    range: 'bytes=0-65535',
    'accept-encoding': 'identity',
    'user-agent': 'plimsoll-test',
  });
  source.close();
});

t.test('later ranges are of the same file, in whole blocks, and never asked for twice', async (t) => {
  const server = await serve(t, (q, s) => serveBytes(q, s, BYTES, { etag: ETAG, lastModified: DATE }));
  const source = await openHttp(httpRequest(`${server.origin}/x`), context());
  t.ok(same(await source.read(at(65000, 2000)), slice(65000, 2000)), 'across the end of what is held');
  t.ok(same(await source.read(at(70000, 100)), slice(70000, 100)), 'within it');
  t.ok(same(await source.read(at(299_988, 12)), slice(299_988, 12)), 'the tail');
  t.ok(same(await source.read(at(299_000, 5000)), slice(299_000, 1000)), 'cut at the end');
  t.same(await source.read(at(300_000, 5)), new Uint8Array(0), 'past the end');
  t.same(await source.read({ offset: 1n << 62n, length: 5 }), new Uint8Array(0));
  t.same(
    server.requests.map(({ headers }) => [headers.range, headers['if-range']]),
    [
      ['bytes=0-65535', undefined],
      ['bytes=65536-131071', ETAG],
      ['bytes=262144-299999', ETAG],
    ],
  );
  t.same(source.cost, { bytesRead: 65536 * 2 + 37856, requests: 3 });
  source.close();
});

t.test('which validator pins the file', async (t) => {
  const rows: [string, { etag?: string; lastModified?: string }, string | undefined, string | null][] = [
    ['strong', { etag: ETAG, lastModified: DATE }, ETAG, ETAG],
    ['weak', { etag: 'W/"v1"', lastModified: DATE }, DATE, null],
    ['weak alone', { etag: 'W/"v1"' }, undefined, null],
    ['unquoted', { etag: 'v1', lastModified: DATE }, DATE, null],
    ['none', {}, undefined, null],
  ];
  for (const [name, served, ifRange, identity] of rows) {
    const server = await serve(t, (q, s) => serveBytes(q, s, BYTES, served));
    const source = await openHttp(httpRequest(server.origin), context());
    t.equal(source.identity, identity, name);
    await source.read(at(100_000, 10));
    t.equal(server.requests[1]?.headers['if-range'], ifRange, name);
    source.close();
  }
});

/** One answer to every request. */
const answer =
  (status: number, headers: Record<string, string | number>, body: Uint8Array | string = '') =>
  (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, headers).end(body);
  };
const range = (text: string, body: Uint8Array = SMALL) => answer(206, { 'content-range': text }, body);
const redirect = (location: string, status = 302) => answer(status, { location });

t.test('answers that fail, by code', async (t) => {
  const rows: [string, Handler, SourceFailureCode][] = [
    ['401', answer(401, { 'www-authenticate': 'Basic' }, 'secret body'), 'needs-credentials'],
    ['403', answer(403, {}), 'needs-credentials'],
    ['404', answer(404, {}), 'not-found'],
    ['410', answer(410, {}), 'not-found'],
    ['204', answer(204, {}), 'bad-answer'],
    ['300 without a place', answer(300, {}), 'bad-answer'],
    ['304', answer(304, {}), 'bad-answer'],
    ['429', answer(429, {}), 'bad-answer'],
    ['500', answer(500, {}), 'bad-answer'],
    ['503', answer(503, {}), 'bad-answer'],
    ['302 without a place', answer(302, {}), 'bad-answer'],
    ['302 to nowhere', redirect('http://[oops'), 'bad-answer'],
    ['302 to another scheme', redirect('file:///etc/passwd'), 'bad-url'],
    ['302 with a user name', redirect('http://a:b@images.example.com/'), 'bad-url'],
    ['a redirect loop', redirect('/again'), 'too-many-redirects'],
    ['206 without a range', answer(206, {}, SMALL), 'bad-answer'],
    ['206 of another unit', range('items 0-999/1000'), 'bad-answer'],
    ['206 from elsewhere', range('bytes 1-1000/2000'), 'bad-answer'],
    ['206 of more than asked', range('bytes 0-65536/70000', pattern(65537)), 'bad-answer'],
    ['206 past its own end', range('bytes 0-999/999'), 'bad-answer'],
    ['206 backwards', range('bytes 0--1/1000'), 'bad-answer'],
    ['206 of absurd length', range(`bytes 0-999/${'9'.repeat(30)}`), 'bad-answer'],
    ['206 with less than it says', range('bytes 0-1999/2000'), 'bad-answer'],
    ['206 with more than it says', range('bytes 0-499/2000'), 'bad-answer'],
    [
      '206 of many parts',
      answer(206, { 'content-type': 'multipart/byteranges; boundary=x' }, SMALL),
      'bad-answer',
    ],
    ['416 for ever', answer(416, { 'content-range': 'bytes */0' }), 'bad-answer'],
    ['brotli', answer(200, { 'content-encoding': 'br' }, SMALL), 'bad-answer'],
    ['two encodings', answer(200, { 'content-encoding': 'gzip, br' }, SMALL), 'bad-answer'],
    [
      'an error page with 200',
      answer(200, { 'content-type': 'text/html' }, '\n<!DOCTYPE HTML><p>no'),
      'not-an-image',
    ],
    ['not HTTP', (_, s) => void s.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'), 'bad-answer'],
    ['nothing at all', (_, s) => void s.socket?.destroy(), 'unreachable'],
    ['a reset', (_, s) => void s.socket?.resetAndDestroy(), 'unreachable'],
    [
      'a reset within the body',
      (_, s) => {
        s.writeHead(200, { 'content-length': 5000 }).write(SMALL, () => s.socket?.resetAndDestroy());
      },
      'unreachable',
    ],
    [
      'headers without end',
      (_, s) => {
        s.socket?.write(`HTTP/1.1 200 OK\r\n${'x-pad: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(3000)}`);
      },
      'bad-answer',
    ],
  ];
  for (const [name, handler, code] of rows) {
    const server = await serve(t, handler);
    const error = await openHttp(httpRequest(`${server.origin}/x.qcow2`), context()).catch((error) => error);
    t.ok(error instanceof SourceError, name);
    t.equal(error.code, code, name);
    t.notOk(/127\.0\.0\.1|secret|\d{4}/.test(error.message), `${name}: says nothing of addresses and bodies`);
    t.ok(server.requests.length <= 7, `${name}: ${server.requests.length} requests`);
  }
});

t.test('answers that do', async (t) => {
  const html = Buffer.from('<!DOCTYPE html>'.padEnd(600));
  const chunked: Handler = (_, s) => void s.writeHead(200).end(SMALL, () => {});
  const chunkedLong: Handler = (_, s) => {
    s.writeHead(200);
    s.write(BYTES);
    s.end();
  };
  const untilClose: Handler = (_, s) =>
    void s.socket?.end(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\r\n\r\n'), SMALL]));
  const rows: [string, string, Handler, bigint | null, Uint8Array][] = [
    ['200 of a short file', '/x', answer(200, { 'content-length': 1000 }, SMALL), 1000n, SMALL],
    ['200 of a long file', '/x', answer(200, { 'content-length': 300_000 }, BYTES), 300_000n, BYTES],
    ['200, chunked, short', '/x', chunked, 1000n, SMALL],
    ['200, chunked, long', '/x', chunkedLong, null, BYTES],
    ['200 until it closes', '/x', untilClose, 1000n, SMALL],
    ['206 of the whole file', '/x', range('bytes 0-999/1000'), 1000n, SMALL],
    ['206, total unknown', '/x', range('bytes 0-999/*'), null, SMALL],
    ['206, unit in capitals', '/x', range('Bytes 0-999/1000'), 1000n, SMALL],
    ['an empty file', '/x', answer(200, { 'content-length': 0 }), 0n, new Uint8Array(0)],
    ['HTML that is called an image', '/x', answer(200, { 'content-type': 'image/x-raw' }, html), 600n, html],
    ['an image that is called HTML', '/x', answer(200, { 'content-type': 'text/html' }, SMALL), 1000n, SMALL],
    ['gzip of a .gz', '/x.img.gz', answer(200, { 'content-encoding': 'gzip' }, SMALL), 1000n, SMALL],
    ['x-gzip of a .GZ', '/x.GZ', answer(200, { 'content-encoding': 'X-Gzip' }, SMALL), 1000n, SMALL],
    ['gzip of another name', '/x.img', answer(200, { 'content-encoding': 'gzip' }, SMALL), null, SMALL],
    ['identity', '/x', answer(200, { 'content-encoding': 'identity' }, SMALL), 1000n, SMALL],
  ];
  for (const [name, path, handler, size, bytes] of rows) {
    const server = await serve(t, handler);
    const source = await openHttp(httpRequest(server.origin + path), context());
    t.equal(source.size, size, name);
    t.ok(same(await source.read(at(0, 600)), bytes.subarray(0, 600)), `${name}: first bytes`);
    t.ok(source.cost.bytesRead <= 3 * 65536, `${name}: ${source.cost.bytesRead} bytes`);
    source.close();
  }
});

t.test('a server without ranges has only its first bytes to give', async (t) => {
  const server = await serve(t, answer(200, { 'content-length': 300_000 }, BYTES));
  const source = await openHttp(httpRequest(server.origin), context());
  t.ok(same(await source.read(at(0, 65536)), slice(0, 65536)));
  await t.rejects(source.read(at(65536, 1)), { code: 'over-budget' });
  await t.rejects(source.read(at(65000, 1000)), { code: 'over-budget' });
  t.same(await source.read(at(300_000, 1)), new Uint8Array(0));
  t.equal(server.requests.length, 1);
  source.close();
});

t.test('416 is asked again without a range', async (t) => {
  const server = await serve(t, (q, s) => serveBytes(q, s, new Uint8Array(0)));
  const source = await openHttp(httpRequest(server.origin), context());
  t.equal(source.size, 0n);
  t.same(await source.read(at(0, 512)), new Uint8Array(0));
  t.same(
    server.requests.map(({ headers }) => headers.range),
    ['bytes=0-65535', undefined],
  );
  source.close();
});

t.test('a file that changes while it is read', async (t) => {
  const later: [string, Handler, SourceFailureCode][] = [
    ['another ETag', (q, s) => serveBytes(q, s, BYTES, { etag: '"v2"' }), 'changed'],
    [
      'another ETag, If-Range ignored',
      (q, s) => {
        delete q.headers['if-range'];
        serveBytes(q, s, BYTES, { etag: '"v2"' });
      },
      'changed',
    ],
    ['another length', range('bytes 131072-196607/300001', pattern(65536)), 'changed'],
    ['no ranges any more', answer(200, {}, BYTES), 'changed'],
    ['moved', redirect('/elsewhere'), 'changed'],
    ['cut', answer(416, {}), 'changed'],
    ['gone', answer(404, {}), 'not-found'],
    ['an expired signature', answer(403, {}), 'needs-credentials'],
    ['an error', answer(500, {}), 'bad-answer'],
    ['another range', range('bytes 0-65535/300000', pattern(65536)), 'bad-answer'],
    ['less than it says', range('bytes 131072-196607/300000'), 'bad-answer'],
    ['less than asked', range('bytes 131072-132071/300000'), 'bad-answer'],
  ];
  for (const [name, handler, code] of later) {
    let first = true;
    const server = await serve(t, (q, s) => {
      if (first) serveBytes(q, s, BYTES, { etag: ETAG });
      else handler(q, s);
      first = false;
    });
    const source = await openHttp(httpRequest(server.origin), context());
    await t.rejects(source.read(at(140_000, 10)), { code }, name);
    source.close();
  }
});

t.test('a file of unknown length ends where its server says so', async (t) => {
  const server = await serve(t, (q, s) => {
    const first = Number(/=(\d+)-/.exec(q.headers.range ?? '')?.[1]);
    const part = BYTES.subarray(first, first + 65536);
    if (part.length === 0) s.writeHead(416).end();
    else s.writeHead(206, { 'content-range': `bytes ${first}-${first + part.length - 1}/*` }).end(part);
  });
  const source = await openHttp(httpRequest(server.origin), context());
  t.equal(source.size, null);
  t.ok(same(await source.read(at(140_000, 10)), slice(140_000, 10)));
  t.ok(same(await source.read(at(299_990, 100)), slice(299_990, 10)));
  t.same(await source.read(at(400_000, 10)), new Uint8Array(0));
  source.close();
});

t.test('redirects: the last one is where later ranges go', async (t) => {
  const mirror = await serve(t, (q, s) => serveBytes(q, s, BYTES, { etag: ETAG }));
  const origin = await serve(t, redirect(`${mirror.origin}/signed?token=a%2Bb`));
  const source = await openHttp(httpRequest(`${origin.origin}/latest`), context());
  await source.read(at(200_000, 10));
  t.equal(origin.requests.length, 1);
  t.same(
    mirror.requests.map(({ url }) => url),
    ['/signed?token=a%2Bb', '/signed?token=a%2Bb'],
  );
  t.equal(source.cost.requests, 3);
  source.close();
});

t.test('redirects are followed as often as the budget says, by every status that means one', async (t) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const server = await serve(t, (q, s) => {
      const hop = Number(q.url?.slice(1));
      if (hop > 0) redirect(`${hop - 1}`, status)(q, s);
      else serveBytes(q, s, SMALL);
    });
    const source = await openHttp(httpRequest(`${server.origin}/5`), context());
    t.equal(source.size, 1000n, `${status}`);
    source.close();
    await t.rejects(openHttp(httpRequest(`${server.origin}/6`), context()), { code: 'too-many-redirects' });
  }
});

t.test('every hop is checked before it is dialled', async (t) => {
  const inner = await serve(t, (q, s) => serveBytes(q, s, SMALL));
  const rows: [string, string][] = [
    ['metadata', 'http://169.254.169.254/latest/meta-data/'],
    ['metadata as a number', 'http://2852039166/'],
    ['metadata, mapped', 'http://[::ffff:169.254.169.254]/'],
    ['metadata by name', 'http://metadata.google.internal/'],
    ['private', 'http://10.0.0.1/'],
    ['another port of loopback', inner.origin],
    ['a name that leads inside', `http://inside.example.com:${inner.port}/`],
    ['a name of which one answer leads inside', `http://mixed.example.com:${inner.port}/`],
  ];
  const answers: Record<string, string[]> = {
    'inside.example.com': ['127.0.0.1'],
    'mixed.example.com': ['8.8.8.8', '127.0.0.1'],
    'metadata.google.internal': ['127.0.0.1'],
    'outside.example.com': ['127.0.0.1'],
  };
  for (const [name, location] of rows) {
    const outer = await serve(t, redirect(location));
    const addresses = { mode: 'public', allow: [`outside.example.com:${outer.port}`] } as const;
    const resolve = async (host: string) => answers[host] ?? [];
    const url = `http://outside.example.com:${outer.port}/`;
    await t.rejects(
      openHttp(httpRequest(url), context({ addresses, resolve })),
      { code: 'not-permitted' },
      name,
    );
    t.equal(outer.requests.length, 1, name);
  }
  t.equal(inner.requests.length, 0);
  t.equal(inner.connections.size, 0);
});

t.test('credentials and added headers go to the first origin and nowhere else', async (t) => {
  const request = {
    headers: { 'X-Plain': 'p', Host: 'evil', Range: 'bytes=5-', 'Transfer-Encoding': 'chunked' },
    secretHeaders: { 'X-Secret': 's' },
    credentials: { accessKeyId: 'user', secretKey: 'pä:ss' },
  };
  const other = await serve(t, (q, s) => serveBytes(q, s, BYTES));
  const first = await serve(t, (q, s) => {
    if (q.url === '/away') redirect(`${other.origin}/x`)(q, s);
    else if (q.url === '/here') redirect('/x')(q, s);
    else serveBytes(q, s, BYTES);
  });
  for (const path of ['/here', '/away']) {
    const source = await openHttp(httpRequest(first.origin + path, request), context());
    await source.read(at(200_000, 10));
    source.close();
  }
  const own = {
    'x-plain': 'p',
    'x-secret': 's',
    authorization: `Basic ${Buffer.from('user:pä:ss').toString('base64')}`,
  };
  t.equal(first.requests.length, 4);
  for (const { headers } of first.requests) {
    t.match(headers, own);
    t.equal(headers.host, `127.0.0.1:${first.port}`);
    t.match(headers.range, /^bytes=(0|196608)-/);
    t.equal(headers['transfer-encoding'], undefined);
  }
  t.equal(other.requests.length, 2);
  for (const { headers } of other.requests)
    for (const name of Object.keys(own)) t.notOk(name in headers, `${name} is not sent on`);
});

t.test('an added Authorization stands instead of the credentials', async (t) => {
  const server = await serve(t, (q, s) => serveBytes(q, s, SMALL));
  const credentials = { accessKeyId: 'a', secretKey: 'b' };
  const headers = { Authorization: 'Bearer x', 'User-Agent': 'mine' };
  const source = await openHttp(httpRequest(server.origin, { credentials, headers }), context());
  t.match(server.requests[0]?.headers, { authorization: 'Bearer x', 'user-agent': 'mine' });
  source.close();
});

t.test('URLs that cannot be used', async (t) => {
  const urls = [
    '',
    'x',
    'http://',
    '/etc/passwd',
    'ftp://a/b',
    'file:///a',
    'gs://a/b',
    'http://a:99999/',
    'http://u@a/',
    'http://:p@a/',
  ];
  for (const url of urls)
    await t.rejects(
      openHttp(httpRequest(url), context({ resolve: async () => t.fail(url) as never })),
      { code: 'bad-url' },
      url,
    );
  const server = await serve(t, (q, s) => serveBytes(q, s, SMALL));
  for (const headers of [{ 'x-a': 'b\r\nx-c: d' }, { 'x a': 'b' }, { '': 'b' }])
    await t.rejects(openHttp(httpRequest(server.origin, { headers }), context()), { code: 'bad-url' });
  t.equal(server.requests.length, 0);
});

t.test('budgets', async (t) => {
  const server = await serve(t, (q, s) => serveBytes(q, s, BYTES));
  const budget = { maxRequests: 3, maxBytes: 150_000, maxRedirects: 5 };
  const source = await openHttp(httpRequest(server.origin), context({ budget }));
  t.ok(same(await source.read(at(100_000, 10)), slice(100_000, 10)));
  t.ok(
    same(await source.read(at(200_000, 10_000)), slice(200_000, 10_000)),
    'the bytes themselves, where a block is too much',
  );
  await t.rejects(source.read(at(250_000, 1)), { code: 'over-budget' }, 'requests');
  t.equal(source.cost.requests, 3);
  source.close();

  const greedy = await openHttp(
    httpRequest(server.origin),
    context({ budget: { ...budget, maxBytes: 100_000 } }),
  );
  await t.rejects(greedy.read(at(100_000, 34_465)), { code: 'over-budget' }, 'one byte too many');
  t.equal((await greedy.read(at(100_000, 34_464))).length, 34_464);
  await t.rejects(greedy.read(at(250_000, 1)), { code: 'over-budget' });
  await t.rejects(greedy.read(at(140_000, 2 ** 40)), { code: 'over-budget' });
  greedy.close();

  const tiny = await openHttp(httpRequest(server.origin), context({ budget: { ...budget, maxBytes: 1000 } }));
  t.equal(server.requests.at(-1)?.headers.range, 'bytes=0-999');
  t.equal(tiny.cost.bytesRead, 1000);
  tiny.close();

  const none = { ...budget, maxRequests: 0 };
  await t.rejects(openHttp(httpRequest(server.origin), context({ budget: none })), { code: 'over-budget' });
});

t.test('a huge body is left where it is', async (t) => {
  const server = await serve(t, (_, s) => {
    s.writeHead(200);
    const more = () => {
      while (!s.destroyed && s.write(BYTES));
    };
    s.on('drain', more);
    more();
  });
  const source = await openHttp(httpRequest(server.origin), context());
  t.equal(source.size, null);
  t.ok(source.cost.bytesRead < 200_000);
  source.close();
});

t.test('deadlines', async (t) => {
  const slow: Handler = (_, s) => {
    s.writeHead(200, { 'content-length': 1000 });
    const timer = setInterval(() => s.write('x'), 20);
    s.on('close', () => clearInterval(timer));
  };
  const silent: Handler = () => {};
  const stalls: Handler = (_, s) => void s.writeHead(200, { 'content-length': 1000 }).write('x');
  const rows: [string, Handler, number, number][] = [
    // name, handler, total, idle
    ['one byte at a time', slow, 200, 10_000],
    ['no answer, total', silent, 100, 10_000],
    ['no answer, idle', silent, 600_000, 100],
    ['a body that stalls, total', stalls, 200, 10_000],
    ['a body that stalls, idle', stalls, 600_000, 100],
  ];
  for (const [name, handler, total, idleTimeoutMs] of rows) {
    const server = await serve(t, handler);
    const ended = new AbortController();
    const timer = setTimeout(() => ended.abort(), total);
    const opening = openHttp(httpRequest(server.origin), context({ signal: ended.signal, idleTimeoutMs }));
    await t.rejects(opening, { code: 'timed-out' }, name);
    clearTimeout(timer);
  }
  const server = await serve(t, (q, s) => serveBytes(q, s, SMALL));
  const resolve = () => new Promise<string[]>(() => {});
  const named = httpRequest(`http://images.example.com:${server.port}/`);
  await t.rejects(
    openHttp(named, context({ resolve, connectTimeoutMs: 50 })),
    { code: 'timed-out' },
    'a resolver',
  );
  const signal = AbortSignal.abort();
  await t.rejects(
    openHttp(named, context({ resolve, signal })),
    { code: 'timed-out' },
    'over before it began',
  );
  await t.rejects(openHttp(httpRequest(server.origin), context({ signal })), { code: 'timed-out' });
  t.equal(server.requests.length, 0);
});

t.test('a deadline ends later reads as well', async (t) => {
  const server = await serve(t, (q, s) => {
    if (q.headers.range === 'bytes=0-65535') serveBytes(q, s, BYTES);
  });
  const ended = new AbortController();
  const source = await openHttp(httpRequest(server.origin), context({ signal: ended.signal }));
  const reading = source.read(at(100_000, 1));
  setTimeout(() => ended.abort(), 50);
  await t.rejects(reading, { code: 'timed-out' });
  await t.rejects(source.read(at(100_000, 1)), { code: 'timed-out' });
  source.close();
});

t.test('every connection ends with the source, and with a failure', async (t) => {
  const server = await serve(t, (q, s) => {
    if (q.url === '/ok') serveBytes(q, s, BYTES);
    else if (q.url === '/page') answer(200, { 'content-type': 'text/html' }, '<html>')(q, s);
    else answer(404, {}, BYTES)(q, s);
  });
  const closed = async () => {
    for (let tries = 0; server.connections.size > 0 && tries < 200; tries++)
      await new Promise((done) => setTimeout(done, 10));
    return server.connections.size;
  };
  const source = await openHttp(httpRequest(`${server.origin}/ok`), context());
  t.equal(server.connections.size, 1, 'kept for later ranges');
  source.close();
  t.equal(await closed(), 0);
  source.close();
  for (const [path, code] of [
    ['no', 'not-found'],
    ['page', 'not-an-image'],
  ] as const) {
    await t.rejects(openHttp(httpRequest(`${server.origin}/${path}`), context()), { code });
    t.equal(await closed(), 0, path);
  }
  await t.rejects(source.read(at(100_000, 1)), SourceError, 'a closed source reads no more');
});
