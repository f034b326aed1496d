// One look at an image, beside `nbdkit curl` + `qemu-img info` at the same URL of the same server in the same run:
// bytes, requests and time. Then a container disk on a real registry. Needs nbdkit, qemu-img, docker-registry, umoci, skopeo.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEFAULT_CONFIGURATION } from '../src/config/parse.ts';
import { settingsOf } from '../src/config/settings.ts';
import { driveReading } from '../src/evaluate/drive.ts';
import { lookOptionsOf } from '../src/evaluate/look-options.ts';
import { readImage } from '../src/image/read.ts';
import { resolveAll } from '../src/source/resolve.ts';
import type { SourceRequest } from '../src/source/source.ts';
import { openSource } from '../src/source/sources.ts';

const ROUNDS = 20;
const run = promisify(execFile);

interface Cost {
  readonly ms: number;
  readonly bytes: number;
  readonly requests: number;
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

/** The middle of many rounds; the first one, in which everything is compiled and opened, does not count. */
async function measure(look: () => Promise<Cost>): Promise<Cost> {
  await look();
  const costs: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) costs.push(await look());
  const of = (part: keyof Cost) => median(costs.map((cost) => cost[part]));
  return { ms: of('ms'), bytes: of('bytes'), requests: of('requests') };
}

const settings = settingsOf(DEFAULT_CONFIGURATION);
const outside = { open: openSource, resolve: resolveAll, now: Date.now, version: 'bench' };
const { context, registryMaxBytes } = lookOptionsOf(settings, outside);

async function ours(request: SourceRequest): Promise<Cost> {
  const maxBytes = request.kind === 'registry' ? registryMaxBytes : context.budget.maxBytes;
  const begin = performance.now();
  const source = await openSource(request, {
    ...context,
    addresses: { mode: 'any', allow: [] },
    budget: { ...context.budget, maxBytes },
    signal: AbortSignal.timeout(10_000),
  });
  const facts = await driveReading(
    readImage({
      storedSize: source.size,
      map: false,
      peel: request.kind !== 'registry',
    }),
    source,
  );
  source.close();
  if (facts.virtualSize !== 10n << 30n) throw new Error(`wrong size: ${facts.virtualSize}`);
  return { ms: performance.now() - begin, bytes: source.cost.bytesRead, requests: source.cost.requests };
}

const served = { bytes: 0, requests: 0 };

/** A mirror: HEAD, ranges, Accept-Ranges, which is all that nbdkit asks for. */
async function serve(file: string): Promise<string> {
  const { size } = await stat(file);
  const server = createServer((request, response) => {
    served.requests += 1;
    const [, from = '0', to = `${size - 1}`] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const last = Math.min(to === '' ? size - 1 : Number(to), size - 1);
    const length = last - Number(from) + 1;
    response.writeHead(request.headers.range ? 206 : 200, {
      'accept-ranges': 'bytes',
      'content-length': length,
      etag: '"bench"',
      ...(request.headers.range ? { 'content-range': `bytes ${from}-${last}/${size}` } : {}),
    });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const body = createReadStream(file, { start: Number(from), end: last });
    body.on('data', (chunk) => {
      served.bytes += chunk.length;
    });
    body.pipe(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/disk.qcow2`;
}

async function theirs(url: string): Promise<Cost> {
  served.bytes = 0;
  served.requests = 0;
  const begin = performance.now();
  const { stdout } = await run('nbdkit', [
    '-r',
    '-U',
    '-',
    'curl',
    `url=${url}`,
    '--run',
    'qemu-img info --output=json "$uri"',
  ]);
  const ms = performance.now() - begin;
  if (!stdout.includes('"virtual-size": 10737418240')) throw new Error(stdout);
  return { ms, bytes: served.bytes, requests: served.requests };
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A registry that holds the image as a container disk; returns its URL and what ends it. */
async function serveRegistry(folder: string, image: string): Promise<{ url: string; stop: () => void }> {
  const port = await freePort();
  const config = join(folder, 'registry.yml');
  await mkdir(join(folder, 'store'));
  await writeFile(
    config,
    `version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: ${folder}/store}}\nhttp: {addr: '127.0.0.1:${port}'}\n`,
  );
  const registry = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
  while (!(await fetch(`http://127.0.0.1:${port}/v2/`).catch(() => null))?.ok)
    await new Promise((wake) => setTimeout(wake, 50));
  const layout = join(folder, 'layout');
  for (const args of [
    ['init', '--layout', layout],
    ['new', '--image', `${layout}:disk`],
    ['insert', '--rootless', '--image', `${layout}:disk`, image, '/disk/disk.img'],
    ['config', '--image', `${layout}:disk`, '--architecture', 'amd64', '--os', 'linux'],
  ])
    execFileSync('umoci', args);
  const target = `127.0.0.1:${port}/disks/bench:latest`;
  execFileSync(
    'skopeo',
    ['--insecure-policy', 'copy', '--dest-tls-verify=false', `oci:${layout}:disk`, `docker://${target}`],
    {
      stdio: 'ignore',
    },
  );
  return { url: `docker://${target}`, stop: () => registry.kill() };
}

const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
const image = join(folder, 'disk.qcow2');
await run('qemu-img', ['create', '-q', '-f', 'qcow2', image, '10G']);
await truncate(image, 64 * 1024 * 1024);
const url = await serve(image);

const probe = await measure(() => ours({ kind: 'http', url }));
const nbdkit = await measure(() => theirs(url));
const row = (name: string, cost: Cost) =>
  console.log(
    `${name.padEnd(28)}${cost.ms.toFixed(1).padStart(9)} ms${cost.bytes.toString().padStart(10)} bytes${cost.requests.toString().padStart(4)} requests`,
  );
console.log(`medians of ${ROUNDS} rounds`);
row('plimsoll, qcow2 by http', probe);
row('nbdkit curl + qemu-img info', nbdkit);
console.log(
  `${'ratio'.padEnd(28)}${(nbdkit.ms / probe.ms).toFixed(1).padStart(9)} x faster, ${(probe.bytes / nbdkit.bytes).toFixed(2)} of the bytes, ${(probe.requests / nbdkit.requests).toFixed(2)} of the requests`,
);

const registry = await serveRegistry(folder, image);
row(
  'plimsoll, container disk',
  await measure(() => ours({ kind: 'registry', url: registry.url, insecureSkipVerify: true })),
);
registry.stop();
await rm(folder, { recursive: true });
