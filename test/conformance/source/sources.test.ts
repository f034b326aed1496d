import fc from 'fast-check';
import t from 'tap';
import type { SourceContext, SourceRequest } from '../../../src/source/source.ts';
import { openSource, SOURCES } from '../../../src/source/sources.ts';
import { certificateFor } from '../../fixtures/source/certificate.ts';
import { context, type Loopback, pattern, serve, serveBytes } from '../../fixtures/source/loopback.ts';
import { Contents, serveRegistry } from '../../fixtures/source/registry.ts';
import { COMPRESS, tar } from '../../fixtures/source/tarball.ts';

type Test = Parameters<typeof serve>[0];
type Kind = SourceRequest['kind'];

/** A server that has `bytes`, and the request for them. */
interface Served {
  readonly server: Loopback;
  readonly request: SourceRequest;
}
type Serve = (t: Test, bytes: Uint8Array) => Promise<Served>;

const CERTIFICATE = certificateFor('files.example.com');

const serveWeb =
  (kind: Kind): Serve =>
  async (t, bytes) => {
    const server = await serve(t, (q, s) => {
      if (q.url === '/bucket/disk.img') serveBytes(q, s, bytes, { etag: '"one"' });
      else s.writeHead(q.url?.startsWith('/closed') ? 401 : 404).end();
    });
    return { server, request: { kind, url: `http://files.example.com:${server.port}/bucket/disk.img` } };
  };

const serveImage: Serve = async (t, bytes) => {
  const contents = new Contents();
  contents.image([contents.blob(COMPRESS.gzip(tar([{ name: 'disk/disk.img', data: bytes }])))], 'latest');
  const registry = serveRegistry(contents);
  const server = await serve(
    t,
    (q, s) => {
      if (q.url?.startsWith('/v2/closed/')) s.writeHead(401).end();
      else registry(q, s);
    },
    CERTIFICATE,
  );
  const url = `docker://files.example.com:${server.port}/disks/one:latest`;
  return { server, request: { kind: 'registry', url, ca: CERTIFICATE.cert } };
};

const SERVERS: Readonly<Record<Kind, Serve>> = {
  http: serveWeb('http'),
  s3: serveWeb('s3'),
  gcs: serveWeb('gcs'),
  registry: serveImage,
};

const renamed = (request: SourceRequest, path: string): SourceRequest => ({
  ...request,
  url: request.url.replace(/(:\d+)\/.*$/, `$1/${path}`),
});

t.same(Object.keys(SOURCES).sort(), Object.keys(SERVERS).sort(), 'every row is served here');

for (const kind of Object.keys(SOURCES) as Kind[]) {
  t.test(kind, async (t) => {
    t.test('the file is read where it is asked for', async (t) => {
      for (const length of [0, 1, 511, 65_535, 65_536, 65_537, 200_000]) {
        const bytes = pattern(length);
        const { request } = await SERVERS[kind](t, bytes);
        const source = await openSource(request, context());
        t.equal(source.size, BigInt(length), `${length} bytes`);
        const at = fc.tuple(fc.nat(length + 10), fc.nat(70_000));
        const property = fc.asyncProperty(at, async ([offset, wanted]) => {
          const found = await source.read({ offset: BigInt(offset), length: wanted });
          return Buffer.from(found).equals(bytes.subarray(offset, offset + wanted));
        });
        t.notOk((await fc.check(property, { numRuns: 40 })).failed, `${length} bytes: reads`);
        t.equal((await source.read({ offset: 1n << 60n, length: 10 })).length, 0, 'far past the end');
        // Four blocks of 64 KiB at the most, each request for one that was missing; a registry takes two.
        t.ok(source.cost.requests <= 4, `${length} bytes: ${source.cost.requests} requests`);
        source.close();
      }
    });

    t.test('the same content has the same identity, and every request is a GET by our name', async (t) => {
      const { request, server } = await SERVERS[kind](t, pattern(1000));
      const [one, two] = [await openSource(request, context()), await openSource(request, context())];
      t.ok(one.identity !== null && one.identity === two.identity);
      one.close();
      two.close();
      for (const { method, headers } of server.requests) {
        t.equal(method, 'GET');
        t.equal(headers['user-agent'], 'plimsoll-test');
        t.equal(headers['accept-encoding'], 'identity');
      }
    });

    t.test('failures have codes', async (t) => {
      const { request, server } = await SERVERS[kind](t, pattern(1000));
      const closed = { mode: 'public', allow: [] } as const;
      const metadata = async () => ['169.254.169.254'];
      const budget = context().budget;
      const rows: [string, SourceRequest, Partial<SourceContext>, string, boolean][] = [
        ['not there', renamed(request, 'none/x'), {}, 'not-found', true],
        ['closed', renamed(request, 'closed/x'), {}, 'needs-credentials', true],
        ['a private address', request, { addresses: closed }, 'not-permitted', false],
        ['metadata', request, { resolve: metadata }, 'not-permitted', false],
        ['no address', request, { resolve: async () => [] }, 'unreachable', false],
        ['the deadline', request, { signal: AbortSignal.abort() }, 'timed-out', false],
        ['no requests', request, { budget: { ...budget, maxRequests: 0 } }, 'over-budget', false],
        ['no bytes', request, { budget: { ...budget, maxBytes: 0 } }, 'over-budget', true],
        ['no URL', { ...request, url: 'files' }, {}, 'bad-url', false],
        ['a user name', { ...request, url: request.url.replace('//', '//a:b@') }, {}, 'bad-url', false],
      ];
      for (const [name, asked, over, code, reached] of rows) {
        const before = server.requests.length;
        await t.rejects(openSource(asked, context(over)), { name: 'SourceError', code }, name);
        if (!reached) t.equal(server.requests.length, before, `${name}: nothing was asked`);
      }
    });

    t.test('every connection ends with its source, or with the failure to open it', async (t) => {
      const { request, server } = await SERVERS[kind](t, pattern(200_000));
      const source = await openSource(request, context());
      await source.read({ offset: 0n, length: 10 });
      source.close();
      source.close();
      const failing = await openSource(renamed(request, 'none/x'), context()).catch(({ code }) => code);
      t.equal(failing, 'not-found');
      for (let tries = 0; server.connections.size > 0 && tries < 200; tries++)
        await new Promise((done) => setTimeout(done, 10));
      t.equal(server.connections.size, 0);
    });
  });
}
