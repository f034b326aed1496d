import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Agent, request as send } from 'undici';
import type { ByteSource } from '../../src/bytes/source.ts';
import { openRegistry } from '../../src/source/registry.ts';
import type { SourceError, SourceRequest } from '../../src/source/source.ts';
import { certificateFor } from '../fixtures/source/certificate.ts';
import { daemon, freePorts, scratch } from '../fixtures/source/daemon.ts';
import { context, pattern } from '../fixtures/source/loopback.ts';
import { digestOf } from '../fixtures/source/registry.ts';

const CERTIFICATE = certificateFor('registry.example.com');
const DISK = pattern(3_000_000);
const OTHER = pattern(700_000);
/** Of its own, for skopeo uses a layer of the same content again, whatever its compression. */
const ZSTD_DISK = pattern(3_000_001).subarray(1);
const USER = { accessKeyId: 'user', secretKey: 'secret' };
/** bcrypt of `secret`. */
const HASH = '$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a';
const BUDGET = { maxRequests: 8, maxBytes: 4 * 1024 * 1024, maxRedirects: 5 };

const folder = scratch(t);
const layout = join(folder, 'layout');
const [open = 0, closed = 0, plain = 0] = await freePorts(3);
writeFileSync(join(folder, 'key.pem'), CERTIFICATE.key);
writeFileSync(join(folder, 'cert.pem'), CERTIFICATE.cert);
writeFileSync(join(folder, 'passwords'), `user:${HASH}\n`);

const TLS = `tls: {certificate: ${folder}/cert.pem, key: ${folder}/key.pem}`;
const AUTH = `auth: {htpasswd: {realm: disks, path: ${folder}/passwords}}`;
for (const [port, tls, auth] of [
  [open, TLS, ''],
  [closed, TLS, AUTH],
  [plain, '', ''],
] as const) {
  const file = join(folder, `${port}.yml`);
  const storage = `storage: {filesystem: {rootdirectory: ${folder}/store}}`;
  writeFileSync(
    file,
    `version: 0.1\nlog: {level: error}\n${storage}\nhttp: {addr: '127.0.0.1:${port}', ${tls}}\n${auth}\n`,
  );
  await daemon(t, 'docker-registry', ['serve', file], port);
}

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: folder, stdio: 'pipe' });

/** A container image of `files`, one layer each, pushed as `tag`. */
function push(
  tag: string,
  files: Readonly<Record<string, Uint8Array>>,
  format: 'gzip' | 'zstd',
  architecture = 'amd64',
) {
  run('umoci', 'new', '--image', `${layout}:${tag}`);
  for (const [path, bytes] of Object.entries(files)) {
    writeFileSync(join(folder, 'file'), bytes);
    run('umoci', 'insert', '--rootless', '--image', `${layout}:${tag}`, join(folder, 'file'), path);
  }
  run('umoci', 'config', '--image', `${layout}:${tag}`, '--architecture', architecture, '--os', 'linux');
  // skopeo leaves compressed layers as they are: only plain ones take the format that is asked for.
  const plainly = join(folder, tag);
  const copy = (...args: string[]) => run('skopeo', '--insecure-policy', 'copy', ...args);
  copy('--dest-decompress', `oci:${layout}:${tag}`, `dir:${plainly}`);
  const target = `docker://127.0.0.1:${open}/disks/one:${tag}`;
  copy('--dest-tls-verify=false', '--dest-compress-format', format, `dir:${plainly}`, target);
}

const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const manifestUrl = (name: string) => `https://127.0.0.1:${open}/v2/disks/one/manifests/${name}`;
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
t.teardown(() => dispatcher.close());

mkdirSync(join(folder, 'store'));
run('umoci', 'init', '--layout', layout);
push('gzip', { '/disk/disk.img': DISK }, 'gzip');
push('zstd', { '/disk/disk.img': ZSTD_DISK }, 'zstd');
push('layers', { '/etc/issue': OTHER, '/disk/other.img': OTHER, '/disk/disk.img': DISK }, 'gzip');
push('arm', { '/disk/arm.img': OTHER }, 'gzip', 'arm64');
push('none', { '/boot/disk.img': DISK }, 'gzip');
await pushIndex('index', { amd64: 'gzip', arm64: 'arm' });

/** The manifest of a tag as the registry has it. */
async function stored(tag: string): Promise<Buffer> {
  const { body } = await send(manifestUrl(tag), { dispatcher, headers: { accept: OCI_MANIFEST } });
  return Buffer.from(await body.arrayBuffer());
}

/** An index over images that are there already, as buildkit pushes it. */
async function pushIndex(tag: string, images: Readonly<Record<string, string>>) {
  const manifests: object[] = [];
  for (const [architecture, image] of Object.entries(images)) {
    const bytes = await stored(image);
    const platform = { os: 'linux', architecture };
    manifests.push({ mediaType: OCI_MANIFEST, digest: digestOf(bytes), size: bytes.length, platform });
  }
  const type = 'application/vnd.oci.image.index.v1+json';
  const document = JSON.stringify({ schemaVersion: 2, mediaType: type, manifests });
  const put = { dispatcher, method: 'PUT', headers: { 'content-type': type }, body: document } as const;
  const { statusCode, body } = await send(manifestUrl(tag), put);
  await body.dump();
  t.equal(statusCode, 201, 'the index is stored');
}

function image(tag: string, over: Partial<SourceRequest> & { port?: number } = {}): Promise<ByteSource> {
  const { port = open, ...request } = over;
  const url = `docker://registry.example.com:${port}/disks/one:${tag}`;
  return openRegistry(
    { kind: 'registry', url, ca: CERTIFICATE.cert, ...request },
    context({ budget: BUDGET }),
  );
}

t.test('disks of a real registry', async (t) => {
  const rows: [string, () => Promise<ByteSource>, Uint8Array, number][] = [
    ['gzip', () => image('gzip'), DISK, 2],
    ['zstd', () => image('zstd'), ZSTD_DISK, 2],
    ['the first layer with a disk', () => image('layers'), OTHER, 3],
    ['an index', () => image('index'), DISK, 3],
    ['an index, by platform', () => image('index', { architecture: 'arm64' }), OTHER, 3],
    ['a single manifest, by platform', () => image('arm', { architecture: 'arm64' }), OTHER, 3],
    ['with a password', () => image('gzip', { port: closed, credentials: USER }), DISK, 3],
    ['unverified', () => image('gzip', { ca: certificateFor('x').cert, insecureSkipVerify: true }), DISK, 2],
    ['plain http', () => image('gzip', { port: plain, insecureSkipVerify: true }), DISK, 3],
  ];
  for (const [name, opening, bytes, requests] of rows) {
    const source = await opening();
    t.equal(source.size, BigInt(bytes.length), name);
    t.match(source.identity, /^sha256:[0-9a-f]{64}$/, name);
    t.ok(
      Buffer.from(await source.read({ offset: 0n, length: 65_536 })).equals(bytes.subarray(0, 65_536)),
      name,
    );
    t.equal(source.cost.requests, requests, name);
    t.ok(
      name.includes('first layer') || source.cost.bytesRead <= 256 * 1024,
      `${name}: ${source.cost.bytesRead} bytes`,
    );
    source.close();
  }
});

t.test('the layers are what their tags say', async (t) => {
  for (const codec of ['gzip', 'zstd']) {
    const { layers } = JSON.parse((await stored(codec)).toString());
    t.match(layers[0].mediaType, new RegExp(`\\+${codec}$`));
  }
});

t.test('by digest', async (t) => {
  const byTag = await image('gzip');
  const url = `docker://registry.example.com:${open}/disks/one@${digestOf(await stored('gzip'))}`;
  const byDigest = await openRegistry(
    { kind: 'registry', url, ca: CERTIFICATE.cert },
    context({ budget: BUDGET }),
  );
  t.equal(byDigest.identity, byTag.identity);
  byTag.close();
  byDigest.close();
});

t.test('what fails', async (t) => {
  const rows: [string, () => Promise<ByteSource>, SourceError['code']][] = [
    ['no such tag', () => image('missing'), 'not-found'],
    ['no disk', () => image('none'), 'not-an-image'],
    ['no such platform', () => image('index', { architecture: 's390x' }), 'not-found'],
    ['another platform', () => image('gzip', { architecture: 'arm64' }), 'not-found'],
    ['no password', () => image('gzip', { port: closed }), 'needs-credentials'],
    [
      'a wrong password',
      () => image('gzip', { port: closed, credentials: { ...USER, secretKey: 'x' } }),
      'needs-credentials',
    ],
    ['an unknown authority', () => image('gzip', { ca: certificateFor('x').cert }), 'tls'],
    ['plain http', () => image('gzip', { port: plain }), 'tls'],
  ];
  for (const [name, opening, code] of rows) await t.rejects(opening(), { code }, name);
});
