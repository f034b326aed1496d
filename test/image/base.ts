import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Buildah } from './buildah.ts';

const run = promisify(execFile);

/** What the Dockerfile's own stages run, besides node and npm. */
const PROGRAMS = ['sh', 'env', 'mkdir', 'cp', 'rm', 'dirname', 'chmod', 'find'];
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/**
 * An image in place of node:24, made of this machine's programs, because no registry need be reachable: this process's
 * node, npm, and the few programs that building takes. Returns its name.
 */
export async function makeBase(buildah: Buildah): Promise<string> {
  const name = 'localhost/node-for-tests';
  const container = await buildah.must('from', '--name=node-for-tests', 'scratch');
  const root = await buildah.must('mount', container);
  await install(process.execPath, join(root, 'usr/local/bin/node'), root);
  for (const program of PROGRAMS) {
    const { stdout } = await run('which', [program]);
    await install(stdout.trim(), join(root, 'usr/bin', program), root);
  }
  const { stdout } = await run('which', ['npm']);
  const npm = dirname(dirname(await realpath(stdout.trim())));
  await cp(npm, join(root, 'usr/local/lib/npm'), { recursive: true, dereference: true });
  // Where RUN looks for a shell, and npm's own first line for env.
  await mkdir(join(root, 'bin'), { recursive: true });
  await copyFile(join(root, 'usr/bin/sh'), join(root, 'bin/sh'));
  await mkdir(join(root, 'tmp'), { recursive: true });
  await mkdir(dirname(join(root, CERTIFICATES)), { recursive: true });
  await copyFile(CERTIFICATES, join(root, CERTIFICATES));
  await buildah.must('run', '--isolation=chroot', container, '--', 'node', '-e', LINK_NPM);
  await buildah.must('umount', container);
  await buildah.must(
    'config',
    '--env=PATH=/usr/local/bin:/usr/bin:/bin',
    `--env=npm_config_cafile=${CERTIFICATES}`,
    container,
  );
  await buildah.must('commit', '--quiet', '--rm', container, name);
  return name;
}

const LINK_NPM = "fs.symlinkSync('../lib/npm/bin/npm-cli.js', '/usr/local/bin/npm')";

/** Copies a program and the shared libraries that it names, which keep their places. */
async function install(program: string, destination: string, root: string): Promise<void> {
  await mkdir(dirname(destination), { recursive: true });
  await copyFile(await realpath(program), destination);
  const { stdout } = await run('ldd', [program]);
  for (const [library] of stdout.matchAll(/\/[^\s)]+(?= \()/g)) {
    const place = join(root, dirname(library), basename(library));
    await mkdir(dirname(place), { recursive: true });
    await copyFile(await realpath(library), place);
  }
}
