import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Storage of the test's own, so that nothing is left among the images of whoever runs it. */
export class Buildah {
  readonly #storage: readonly string[];

  constructor(folder: string) {
    // vfs works on every file system, also where overlays do not nest.
    this.#storage = ['--storage-driver=vfs', `--root=${folder}/storage`, `--runroot=${folder}/run`];
  }

  /** Arguments of `buildah` that make it use this storage. */
  args(...args: string[]): string[] {
    return [...this.#storage, ...args];
  }

  /** Its standard output, trimmed; throws with its error output where it fails. */
  async must(...args: string[]): Promise<string> {
    const { stdout } = await run('buildah', this.args(...args), { maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  }
}

/** Why buildah cannot be used; null where it can. */
export async function whyNoBuildah(): Promise<string | null> {
  if (process.platform !== 'linux') return 'images are built on Linux';
  if (process.getuid?.() !== 0) return 'chroot isolation needs root';
  return run('buildah', ['--version']).then(
    () => null,
    () => 'buildah is not installed',
  );
}
