import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { request as send } from 'undici';
import { Dialler, portOf } from '../../../src/source/dial.ts';
import { openHttp } from '../../../src/source/http.ts';
import { type SourceContext, SourceError, type SourceRequest } from '../../../src/source/source.ts';
import { certificateFor } from '../../fixtures/source/certificate.ts';
import {
  context,
  httpRequest,
  type Loopback,
  pattern,
  serve,
  serveBytes,
} from '../../fixtures/source/loopback.ts';

const BYTES = pattern(1000);
const NAMED = certificateFor('images.example.com');
const OTHER = certificateFor('other.example.com');

/** Opens, and gives the size or the code that it failed with. */
async function outcome(url: string, request: Partial<SourceRequest> = {}, over: Partial<SourceContext> = {}) {
  try {
    const source = await openHttp(httpRequest(url, request), context(over));
    source.close();
    return source.size;
  } catch (error) {
    return error instanceof SourceError ? error.code : error;
  }
}

t.test('TLS is verified by the name in the URL, against the authorities that are given', async (t) => {
  const server = await serve(t, (q, s) => serveBytes(q, s, BYTES), NAMED);
  const plain = await serve(t, (q, s) => serveBytes(q, s, BYTES));
  const url = (host: string) => `https://${host}:${server.port}/`;
  const rows: [string, string, Partial<SourceRequest>, unknown][] = [
    ['its own authority', url('images.example.com'), { ca: NAMED.cert }, 1000n],
    ['with the root’s dot', url('images.example.com.'), { ca: NAMED.cert }, 1000n],
    ['by a literal address', url('127.0.0.1'), { ca: NAMED.cert }, 1000n],
    ['an unknown authority', url('images.example.com'), {}, 'tls'],
    ['another authority', url('images.example.com'), { ca: OTHER.cert }, 'tls'],
    ['another name', url('mirror.example.com'), { ca: NAMED.cert }, 'tls'],
    ['a broken authority', url('images.example.com'), { ca: 'no PEM' }, 'tls'],
    ['a broken PEM', url('images.example.com'), { ca: NAMED.cert.replace(/[A-Za-z]{20}/, '!') }, 'tls'],
    ['not verified', url('mirror.example.com'), { insecureSkipVerify: true }, 1000n],
    ['verified when it says so', url('images.example.com'), { insecureSkipVerify: false }, 'tls'],
    ['no TLS there', `https://images.example.com:${plain.port}/`, { ca: NAMED.cert }, 'tls'],
    ['TLS where none is expected', `http://images.example.com:${server.port}/`, {}, 'unreachable'],
  ];
  for (const [name, target, request, wanted] of rows) t.equal(await outcome(target, request), wanted, name);
  t.equal(server.requests[0]?.headers.host, `images.example.com:${server.port}`);
});

t.test('from https to http no redirect is followed', async (t) => {
  const plain = await serve(t, (q, s) => serveBytes(q, s, BYTES));
  const secure = await serve(t, (_, s) => void s.writeHead(302, { location: plain.origin }).end(), NAMED);
  const upward = await serve(t, (q, s) => serveBytes(q, s, BYTES), NAMED);
  const opening = await serve(t, (_, s) => void s.writeHead(302, { location: upward.origin }).end());
  t.equal(await outcome(secure.origin, { ca: NAMED.cert }), 'not-permitted');
  t.equal(plain.requests.length, 0);
  t.equal(await outcome(opening.origin, { ca: NAMED.cert }), 1000n, 'the other way it is');
});

t.test('a name is resolved once, and what was checked is what is dialled', async (t) => {
  const server = await serve(t, (q, s) =>
    serveBytes(q, s, pattern(200_000), { headers: { connection: 'close' } }),
  );
  const asked: string[] = [];
  // What DNS rebinding does: the first answer passes, the next one leads inside.
  const resolve = async (host: string) => {
    asked.push(host);
    return asked.length === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
  };
  const source = await openHttp(
    httpRequest(`http://Images.Example.com.:${server.port}/`),
    context({ resolve }),
  );
  t.equal((await source.read({ offset: 100_000n, length: 10 })).length, 10, 'over another connection');
  t.same(asked, ['images.example.com']);
  t.equal(new Set(server.clientPorts).size, 2);
  t.equal(server.requests[1]?.headers.host, `images.example.com:${server.port}`);
  source.close();
});

t.test('the next address is tried where the first does not answer', async (t) => {
  const server = await serve(t, (q, s) => serveBytes(q, s, BYTES));
  const resolve = async () => ['127.0.0.2', '::1', '127.0.0.1'];
  t.equal(await outcome(`http://images.example.com:${server.port}/`, {}, { resolve }), 1000n);
});

t.test('names that lead nowhere', async (t) => {
  const answers: Record<string, () => Promise<string[]>> = {
    'none.example.com': async () => [],
    'unknown.example.com': async () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
    'slow.example.com': async () => Promise.reject(Object.assign(new Error('x'), { code: 'ETIMEDOUT' })),
    'mixed.example.com': async () => ['127.0.0.1', '169.254.169.254'],
    'strange.example.com': async () => ['not an address'],
  };
  const resolve = async (host: string) => (await answers[host]?.()) ?? [];
  const rows: [string, string][] = [
    ['none.example.com', 'unreachable'],
    ['unknown.example.com', 'unreachable'],
    ['slow.example.com', 'timed-out'],
    ['mixed.example.com', 'not-permitted'],
    ['strange.example.com', 'not-permitted'],
  ];
  for (const [host, code] of rows) t.equal(await outcome(`http://${host}/`, {}, { resolve }), code, host);
  t.equal(await outcome('http://127.0.0.1:1/'), 'unreachable');
});

t.test('what was not admitted cannot be dialled', async (t) => {
  const dialler = new Dialler(context(), {});
  t.teardown(() => dialler.close());
  const sent = send('http://images.example.com/', { dispatcher: dialler.dispatcher });
  await t.rejects(sent, { code: 'not-permitted' });
});

t.test('ports', (t) => {
  for (const [url, port] of [
    ['http://a/', 80],
    ['https://a/', 443],
    ['http://a:443/', 443],
    ['https://a:8443/', 8443],
  ] as const)
    t.equal(portOf(new URL(url)), port, url);
  t.end();
});

/** A proxy on loopback that leads every request and CONNECT to `target`, and keeps what it was asked for. */
async function proxyTo(t: { teardown(end: () => Promise<void>): void }, target: Loopback, status = '200 OK') {
  const asked: { path: string | undefined; authorization: string | undefined }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const { 'proxy-authorization': authorization, ...headers } = request.headers;
    asked.push({ path: request.url, authorization });
    if (!status.startsWith('200')) return void response.writeHead(Number(status.slice(0, 3))).end();
    const { pathname } = new URL(request.url ?? '');
    const onward = { host: '127.0.0.1', port: target.port, path: pathname, headers };
    forward(onward, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    }).end();
  });
  server.on('connect', (request, socket: Socket) => {
    sockets.add(socket);
    asked.push({ path: request.url, authorization: request.headers['proxy-authorization'] });
    socket.on('error', () => {});
    if (status === 'silent') return;
    if (!status.startsWith('200')) return void socket.end(`HTTP/1.1 ${status}\r\n\r\n`);
    const through = connect(target.port, '127.0.0.1', () => {
      socket.write(`HTTP/1.1 ${status}\r\n\r\n`);
      socket.pipe(through).pipe(socket);
    });
    through.on('error', () => socket.destroy());
    socket.on('close', () => through.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { url: `http://user:pass@127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

t.test('through a proxy', async (t) => {
  const plain = await serve(t, (q, s) => serveBytes(q, s, BYTES));
  const secure = await serve(t, (q, s) => serveBytes(q, s, BYTES), NAMED);
  const resolve = () => Promise.reject(new Error('the proxy resolves'));
  const addresses = { mode: 'public', allow: ['inside.corp:8080'] } as const;
  const rows: [string, Loopback, string, Partial<SourceRequest>, unknown, string | undefined][] = [
    ['http', plain, 'http://images.example.com/x', {}, 1000n, 'http://images.example.com/x'],
    ['https', secure, 'https://images.example.com/x', { ca: NAMED.cert }, 1000n, 'images.example.com:443'],
    ['https, unknown authority', secure, 'https://images.example.com/x', {}, 'tls', 'images.example.com:443'],
    [
      'https, another name',
      secure,
      'https://mirror.example.com/x',
      { ca: NAMED.cert },
      'tls',
      'mirror.example.com:443',
    ],
    ['an entry', plain, 'http://inside.corp:8080/x', {}, 1000n, 'http://inside.corp:8080/x'],
    ['another port of it', plain, 'http://inside.corp:8081/x', {}, 'not-permitted', undefined],
    ['a cluster’s name', plain, 'http://kubernetes.default.svc/x', {}, 'not-permitted', undefined],
    ['metadata', plain, 'http://169.254.169.254/x', {}, 'not-permitted', undefined],
    ['metadata by name', plain, 'http://metadata.google.internal/x', {}, 'not-permitted', undefined],
    ['loopback as a number', plain, 'http://2130706433/x', {}, 'not-permitted', undefined],
  ];
  for (const [name, target, url, request, wanted, path] of rows) {
    const proxy = await proxyTo(t, target);
    t.equal(await outcome(url, request, { proxy: proxy.url, resolve, addresses }), wanted, name);
    t.equal(proxy.asked[0]?.path, path, name);
    if (path !== undefined) t.match(proxy.asked[0]?.authorization, /^Basic /, name);
  }
  t.notOk('proxy-authorization' in (plain.requests[0]?.headers ?? {}), 'credentials stay with the proxy');
});

t.test('a proxy that does not serve', async (t) => {
  const target = await serve(t, (q, s) => serveBytes(q, s, BYTES));
  // Without a tunnel a proxy's refusal looks like the server's own.
  const rows: [string, string][] = [
    ['403 Forbidden', 'needs-credentials'],
    ['407 Authenticate', 'unreachable'],
    ['502 Bad', 'bad-answer'],
  ];
  for (const [status, wanted] of rows) {
    const proxy = (await proxyTo(t, target, status)).url;
    t.equal(await outcome('http://images.example.com/', {}, { proxy }), wanted, status);
    t.equal(await outcome('https://images.example.com/', {}, { proxy }), 'unreachable', `${status}, https`);
  }
  for (const proxy of ['http://127.0.0.1:1', 'not a URL'])
    t.equal(await outcome('https://images.example.com/', {}, { proxy }), 'unreachable', proxy);
  const silent = await proxyTo(t, target, 'silent');
  const ended = new AbortController();
  setTimeout(() => ended.abort(), 100);
  const over = { proxy: silent.url, signal: ended.signal };
  t.equal(await outcome('https://images.example.com/', {}, over), 'timed-out');
});
