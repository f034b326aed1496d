// Builds the image as the Dockerfile says, against a base made here, and runs it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { at } from '../../src/object/object.ts';
import { issueAuthority, issueServing } from '../../src/tls/authority.ts';
import { freePorts } from '../cluster/harness/ports.ts';
import { until } from '../cluster/harness/until.ts';
import { makeBase } from './base.ts';
import { Buildah, whyNoBuildah } from './buildah.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const IMAGE = 'localhost/plimsoll';

const reason = await whyNoBuildah();

t.setTimeout(900_000);

t.test('the image', reason === null ? {} : { skip: reason }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-image-'));
  const buildah = new Buildah(folder);
  t.teardown(async () => {
    await buildah.must('rm', '--all').catch(() => {});
    await buildah.must('rmi', '--all', '--force').catch(() => {});
    await rm(folder, { recursive: true, force: true });
  });

  const base = await makeBase(buildah);
  const cache = join(homedir(), '.npm');
  await mkdir(cache, { recursive: true });
  await buildah.must(
    'build',
    '--isolation=chroot',
    '--pull=never',
    // Packages that this machine has fetched before are not fetched again.
    `--volume=${cache}:/root/.npm`,
    `--build-arg=BASE=${base}`,
    '--build-arg=VERSION=1.2.3',
    `--tag=${IMAGE}`,
    ROOT,
  );
  const container = await buildah.must('from', '--pull=never', IMAGE);
  const root = await buildah.must('mount', container);

  t.test('is labelled, and is not root’s', async (t) => {
    const config = at(JSON.parse(await buildah.must('inspect', '--type=image', IMAGE)), 'OCIv1', 'config');
    t.equal(at(config, 'User'), '65532:65532');
    t.same(at(config, 'Entrypoint'), ['node', 'dist/cli/main.js']);
    t.match(at(config, 'Labels'), {
      'org.opencontainers.image.title': 'plimsoll',
      'org.opencontainers.image.version': '1.2.3',
      'org.opencontainers.image.licenses': 'Apache-2.0',
    });
  });

  t.test('holds node and Plimsoll, and nothing to break in with', async (t) => {
    t.same(await readdir(join(root, 'usr/local/bin')), ['node']);
    for (const absent of ['bin', 'usr/bin', 'usr/local/lib', 'app/src', 'app/node_modules/typescript'])
      t.equal(await isThere(join(root, absent)), false, absent);
    const own = (await sizeOf(join(root, 'app'))) / 1e6;
    const all = (await sizeOf(root)) / 1e6;
    t.comment(`${all.toFixed(0)} MB in all, ${own.toFixed(0)} MB of them Plimsoll and its dependencies`);
    t.ok(own < 100, `Plimsoll and its dependencies take ${own.toFixed(0)} MB`);
  });

  t.test('serves, and ends well on SIGTERM', async (t) => {
    const [port, healthPort] = (await freePorts(2)) as [number, number];
    const settings = await writeSettings(folder, port, healthPort);
    await cp(settings, join(root, 'settings'), { recursive: true });
    // The user of the image has to be able to read the key.
    const args = ['run', '--isolation=chroot', '--user=65532:65532', container, '--'];
    const command = [
      'node',
      'dist/cli/main.js',
      'serve',
      '--config',
      '/settings/plimsoll.yaml',
      '--drain',
      '0',
    ];
    const program = spawn('buildah', buildah.args(...args, ...command), {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.teardown(() => program.kill('SIGKILL'));
    const output = Promise.all([text(program.stdout), text(program.stderr)]);
    const exit = once(program, 'exit');
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${healthPort}${path}`).then(
        async (response) => ({ status: response.status, body: await response.text() }),
        () => null,
      );
    await until('it is ready', async () => {
      if (program.exitCode !== null) throw new Error(`it ended: ${(await output).join('\n')}`);
      return (await get('/readyz'))?.status === 200;
    });
    t.same(await get('/healthz'), { status: 200, body: 'ok\n' });
    // As a kubelet does: to the process itself. buildah stands between, and passes the exit code on.
    const pid = await descendantNamed('node', program.pid!);
    t.ok(pid > 0, 'its process is found');
    if (pid > 0) process.kill(pid, 'SIGTERM');
    else program.kill('SIGKILL');
    t.same(await exit, [0, null], 'exit code');
    t.equal(await get('/healthz'), null, 'nothing listens any more');
  });
});

/** A folder with a configuration, a certificate and its key, readable by all. */
async function writeSettings(folder: string, port: number, healthPort: number): Promise<string> {
  const settings = join(folder, 'settings');
  await mkdir(settings);
  const life = { validForDays: 1, now: new Date() };
  const authority = await issueAuthority({ commonName: 'test CA', ...life });
  const serving = await issueServing(authority, { names: ['127.0.0.1'], ...life });
  await writeFile(join(settings, 'tls.crt'), serving.certificatePem);
  await writeFile(join(settings, 'tls.key'), serving.privateKeyPem);
  const configuration = {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'Configuration',
    listen: { host: '127.0.0.1', port, healthPort },
    tls: { certFile: '/settings/tls.crt', keyFile: '/settings/tls.key' },
  };
  await writeFile(join(settings, 'plimsoll.yaml'), JSON.stringify(configuration));
  return settings;
}

/** The pid of the process of that name below another one; 0 where there is none. */
async function descendantNamed(name: string, ancestor: number): Promise<number> {
  // A child belongs to the thread that started it.
  const threads = await readdir(`/proc/${ancestor}/task`);
  const children = await Promise.all(
    threads.map((thread) => readFile(`/proc/${ancestor}/task/${thread}/children`, 'utf8')),
  );
  for (const child of children.flatMap((pids) => pids.split(' ')).filter((pid) => pid !== '')) {
    const [program] = (await readFile(`/proc/${child}/cmdline`, 'utf8')).split('\0');
    const found =
      basename(program ?? '') === name ? Number(child) : await descendantNamed(name, Number(child));
    if (found !== 0) return found;
  }
  return 0;
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Bytes of all files below. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
