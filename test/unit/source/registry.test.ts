import t from 'tap';
import type { ByteSource } from '../../../src/bytes/source.ts';
import { openRegistry } from '../../../src/source/registry.ts';
import type {
  SourceContext,
  SourceError,
  SourceFailureCode,
  SourceRequest,
} from '../../../src/source/source.ts';
import { certificateFor } from '../../fixtures/source/certificate.ts';
import { context, pattern, serve } from '../../fixtures/source/loopback.ts';
import { Contents, type RegistryOptions, serveRegistry } from '../../fixtures/source/registry.ts';
import { COMPRESS, tar } from '../../fixtures/source/tarball.ts';

const CERTIFICATE = certificateFor('registry.example.com');
const DISK = pattern(200_000);
const LAYER = tar([
  { name: 'disk/', flag: '5' },
  { name: 'disk/disk.img', data: DISK },
]);
const BASE = tar([{ name: 'etc/passwd', data: pattern(5000) }]);
const WHITEOUT = tar([{ name: 'disk/.wh.disk.img' }]);
const USER = { accessKeyId: 'user', secretKey: 'secret' };
const BUDGET = { maxRequests: 8, maxBytes: 4 * 1024 * 1024, maxRedirects: 5 };

async function registry(t: Parameters<typeof serve>[0], contents: Contents, options: RegistryOptions = {}) {
  const server = await serve(t, serveRegistry(contents, options), CERTIFICATE);
  const open = (version = 'latest', over: Partial<SourceRequest> = {}, world: Partial<SourceContext> = {}) =>
    openRegistry(
      {
        kind: 'registry',
        url: `docker://registry.example.com:${server.port}/disks/one${version.startsWith('sha') ? '@' : ':'}${version}`,
        ca: CERTIFICATE.cert,
        ...over,
      },
      context({ budget: BUDGET, ...world }),
    );
  return { server, open };
}

const ends = (bytes: Uint8Array, from: number, to: number) => Buffer.from(bytes.subarray(from, to));

/** What `of` finds in the source, or the code that opening it failed with. */
async function outcome(opening: Promise<ByteSource>, of: (source: ByteSource) => unknown): Promise<unknown> {
  try {
    const source = await opening;
    source.close();
    return of(source);
  } catch (error) {
    return (error as SourceError).code;
  }
}

t.test('every way to store a layer, by tag and by digest', async (t) => {
  for (const codec of ['gzip', 'zstd', 'plain'] as const) {
    const contents = new Contents();
    const layer = contents.blob(COMPRESS[codec](LAYER));
    const image = contents.image([layer], 'latest');
    const { open, server } = await registry(t, contents);
    for (const version of ['latest', image.digest]) {
      const source = await open(version);
      t.equal(source.size, 200_000n, codec);
      t.equal(source.identity, layer.digest, codec);
      t.same(await source.read({ offset: 0n, length: 512 }), ends(DISK, 0, 512));
      t.same(await source.read({ offset: 150_000n, length: 20 }), ends(DISK, 150_000, 150_020));
      t.same(await source.read({ offset: 10n, length: 20 }), ends(DISK, 10, 30), 'backwards');
      t.same(
        await source.read({ offset: 199_990n, length: 50 }),
        ends(DISK, 199_990, 200_000),
        'across the end',
      );
      t.equal((await source.read({ offset: 200_000n, length: 50 })).length, 0);
      t.equal(source.cost.requests, 2);
      source.close();
    }
    t.equal(server.requests.length, 4);
    t.match(server.requests[0]?.headers.accept, /oci\.image\.index.*docker\.distribution\.manifest\.v2/);
  }
});

t.test('an index leads to the platform that is asked for', async (t) => {
  const contents = new Contents();
  const layerOf = (name: string) => contents.blob(tar([{ name: 'disk/a', data: Buffer.from(name) }]));
  const amd64 = contents.image([layerOf('amd64')], undefined, 'amd64');
  const arm64 = contents.image([layerOf('arm64')], 'arm', 'arm64');
  contents.index({ arm64, amd64 }, 'latest');
  const { open } = await registry(t, contents);
  const rows: [string, string | undefined, string][] = [
    ['latest', 'arm64', 'arm64'],
    ['latest', 'amd64', 'amd64'],
    ['latest', undefined, 'amd64'],
    ['arm', undefined, 'arm64'],
    ['arm', 'arm64', 'arm64'],
  ];
  for (const [tag, architecture, wanted] of rows) {
    const source = await open(tag, architecture === undefined ? {} : { architecture });
    t.equal(
      Buffer.from(await source.read({ offset: 0n, length: 9 })).toString(),
      wanted,
      `${tag} ${architecture}`,
    );
    source.close();
  }
  await t.rejects(open('latest', { architecture: 's390x' }), { code: 'not-found' });
  await t.rejects(
    open('arm', { architecture: 'amd64' }),
    { code: 'not-found' },
    'a single manifest of another',
  );
});

t.test('layers in order: the first that has a file in disk/', async (t) => {
  const contents = new Contents();
  const [base, layer, whiteout] = [BASE, LAYER, WHITEOUT].map((bytes) => contents.blob(COMPRESS.gzip(bytes)));
  const other = contents.blob(COMPRESS.gzip(tar([{ name: 'disk/b', data: pattern(600) }])));
  const noise = contents.blob(pattern(3000));
  const rows: [string, (typeof layer)[], bigint | SourceFailureCode][] = [
    ['after a base', [base, layer], 200_000n],
    ['deleted above', [layer, whiteout], 200_000n],
    ['the first of two', [other, layer], 600n],
    ['after a layer that cannot be read', [noise, layer], 200_000n],
    ['none', [base, whiteout], 'not-an-image'],
    ['none, and one that cannot be read', [noise, base], 'bad-answer'],
    ['no layers', [], 'not-an-image'],
    ['more than the budget’s requests', Array(9).fill(base), 'over-budget'],
  ] as never;
  for (const [name, layers, wanted] of rows) {
    contents.image(layers as never, 'latest');
    const { open } = await registry(t, contents);
    const found = await outcome(open(), (source) => source.size);
    t.equal(found, wanted, name);
  }
});

t.test('layers that CDI refuses, and layers that lie', async (t) => {
  const rows: [string, Uint8Array, SourceFailureCode][] = [
    ['a look-alike first', tar([{ name: 'diskfoo' }, { name: 'disk/a', data: DISK }]), 'not-an-image'],
    ['a link', tar([{ name: 'disk/a', flag: '2' }]), 'not-an-image'],
    ['a size that no such layer can hold', tar([{ name: 'disk/a', size: 1n << 32n }]), 'bad-answer'],
    ['a bomb', COMPRESS.gzip(tar([{ name: 'x', data: Buffer.alloc(2 ** 23) }])), 'over-budget'],
    ['a layer over the budget', tar([{ name: 'x', data: pattern(2 ** 22) }]), 'over-budget'],
  ];
  for (const [name, bytes, code] of rows) {
    const contents = new Contents();
    contents.image([contents.blob(bytes)], 'latest');
    const { open, server } = await registry(t, contents);
    await t.rejects(open(), { code }, name);
    for (let tries = 0; server.connections.size > 0 && tries < 200; tries++)
      await new Promise((done) => setTimeout(done, 10));
    t.equal(server.connections.size, 0, `${name}: closed`);
  }
});

t.test('an entry is read as far as a stream reasonably can be', async (t) => {
  const contents = new Contents();
  const short = tar([{ name: 'disk/a', data: pattern(10_000) }]).subarray(0, 6000);
  contents.image([contents.blob(short, 20_000)], 'short');
  contents.image(
    [contents.blob(COMPRESS.gzip(tar([{ name: 'disk/a', data: Buffer.alloc(2 ** 21) }])))],
    'long',
  );
  const { open } = await registry(t, contents);
  const cut = await open('short');
  t.equal(cut.size, 10_000n);
  t.equal((await cut.read({ offset: 0n, length: 5000 })).length, 5000);
  await t.rejects(cut.read({ offset: 5000n, length: 1000 }), { code: 'bad-answer' });
  cut.close();
  const long = await open('long');
  t.equal((await long.read({ offset: 2n ** 20n - 5n, length: 5 })).length, 5);
  await t.rejects(long.read({ offset: 2n ** 20n - 5n, length: 6 }), { code: 'over-budget' });
  await t.rejects(long.read({ offset: 2n ** 21n - 12n, length: 12 }), { code: 'over-budget' }, 'the tail');
  long.close();
});

t.test('authorization', async (t) => {
  const contents = new Contents();
  contents.image([contents.blob(COMPRESS.gzip(LAYER))], 'latest');
  const wrong = { ...USER, secretKey: 'x' };
  const rows: [string, RegistryOptions, Partial<SourceRequest>, number | SourceFailureCode][] = [
    ['none', {}, { credentials: USER }, 2],
    ['basic', { auth: 'basic' }, { credentials: USER }, 3],
    ['basic, none given', { auth: 'basic' }, {}, 'needs-credentials'],
    ['basic, wrong', { auth: 'basic' }, { credentials: wrong }, 'needs-credentials'],
    ['token', { auth: 'bearer' }, { credentials: USER }, 4],
    ['token, none given', { auth: 'bearer' }, {}, 'needs-credentials'],
    ['token, wrong', { auth: 'bearer' }, { credentials: wrong }, 'needs-credentials'],
    [
      'a token server over http',
      { auth: 'bearer', realm: () => 'http://registry.example.com/token' },
      {},
      'not-permitted',
    ],
    ['a token server of no use', { auth: 'bearer', realm: () => 'file:///etc/passwd' }, {}, 'bad-answer'],
    [
      'a token server inside',
      { auth: 'bearer', realm: () => 'https://169.254.169.254/token' },
      {},
      'not-permitted',
    ],
  ];
  for (const [name, options, request, wanted] of rows) {
    const { open, server } = await registry(t, contents, options);
    const found = await outcome(open('latest', request), (source) => source.cost.requests);
    t.equal(found, wanted, name);
    if (options.auth === undefined)
      for (const { headers } of server.requests)
        t.notOk('authorization' in headers, 'not unless it is asked for');
  }
});

t.test('blobs elsewhere get no authorization', async (t) => {
  const contents = new Contents();
  contents.image([contents.blob(COMPRESS.gzip(LAYER))], 'latest');
  const store = await serve(
    t,
    ({ url, headers }, response) => {
      // As object stores do with a signed URL and a header as well.
      const found = contents.blobs.get(/[^/]+(?=\?)/.exec(url ?? '')?.[0] ?? '');
      response.writeHead(headers.authorization === undefined ? 200 : 400).end(found);
    },
    CERTIFICATE,
  );
  const { open } = await registry(t, contents, { auth: 'bearer', blobsAt: () => store.origin });
  const source = await open('latest', { credentials: USER });
  t.equal(source.size, 200_000n);
  t.equal(source.cost.requests, 5);
  t.equal(store.requests.length, 1);
  source.close();
});

t.test('manifests that are no use', async (t) => {
  const contents = new Contents();
  const type = 'application/vnd.oci.image.manifest.v1+json';
  contents.put({ schemaVersion: 1, fsLayers: [] }, type, 'one');
  const inner = contents.index({ amd64: contents.image([]) }, 'inner');
  contents.index({ amd64: inner }, 'nested');
  contents.manifests.set('text', { type, bytes: Buffer.from('not JSON') });
  contents.manifests.set('huge', { type, bytes: Buffer.alloc(2 ** 20 + 1, 0x20) });
  const forged = `sha256:${'00'.repeat(32)}`;
  contents.manifests.set(forged, { type, bytes: Buffer.from('{}') });
  contents.put({ config: { digest: '../../x', size: 1 }, layers: [] }, type, 'path');
  const { open } = await registry(t, contents);
  for (const version of ['one', 'nested', 'text', 'huge', forged, 'path'])
    await t.rejects(open(version), { code: 'bad-answer' }, version);
  await t.rejects(open('none'), { code: 'not-found' });
});

t.test('plain http only where certificates do not count', async (t) => {
  const contents = new Contents();
  contents.image([contents.blob(COMPRESS.gzip(LAYER))], 'latest');
  const server = await serve(t, serveRegistry(contents));
  const url = `docker://127.0.0.1:${server.port}/disks/one`;
  const budget = BUDGET;
  await t.rejects(openRegistry({ kind: 'registry', url }, context({ budget })), { code: 'tls' });
  const source = await openRegistry({ kind: 'registry', url, insecureSkipVerify: true }, context({ budget }));
  t.equal(source.size, 200_000n);
  source.close();
  const secure = await registry(t, contents);
  const unverified = await openRegistry(
    {
      kind: 'registry',
      url: `docker://other.example.com:${secure.server.port}/disks/one`,
      insecureSkipVerify: true,
    },
    context({ budget }),
  );
  t.equal(unverified.cost.requests, 2, 'https first');
  unverified.close();
});

t.test('what may not be dialled is not, and what may is closed in time', async (t) => {
  const contents = new Contents();
  contents.image([contents.blob(COMPRESS.gzip(LAYER))], 'latest');
  const { open, server } = await registry(t, contents);
  await t.rejects(open('latest', {}, { addresses: { mode: 'public', allow: [] } }), {
    code: 'not-permitted',
  });
  t.equal(server.requests.length, 0);
  await t.rejects(open('latest', {}, { signal: AbortSignal.abort() }), { code: 'timed-out' });
  await t.rejects(open('latest', {}, { budget: { ...BUDGET, maxBytes: 100 } }), { code: 'over-budget' });
  const source = await open();
  source.close();
  source.close();
  for (let tries = 0; server.connections.size > 0 && tries < 200; tries++)
    await new Promise((done) => setTimeout(done, 10));
  t.equal(server.connections.size, 0);
});
