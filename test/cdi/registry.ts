import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificateFor } from '../fixtures/source/certificate.ts';
import { daemon, freePorts, scratch } from '../fixtures/source/daemon.ts';
import { requireTool } from './container.ts';
import { program } from './making.ts';

/** What lies in one layer: a path in the container image, and the file that goes there. */
export type Layer = readonly [path: string, file: string];

export interface DiskRegistry {
  /** Builds a container image of those layers, pushes it, and answers its `docker://` URL. */
  push(tag: string, layers: readonly Layer[], compression: 'gzip' | 'zstd'): Promise<string>;
}

interface Test {
  teardown(end: () => void | Promise<void>): void;
}

/** A real registry on loopback, which ends with the test. */
export async function startRegistry(t: Test): Promise<DiskRegistry> {
  for (const tool of ['docker-registry', 'skopeo', 'umoci']) requireTool(tool, tool);
  const folder = scratch(t);
  const [port = 0] = await freePorts(1);
  const { key, cert } = certificateFor('registry.example.com');
  await writeFile(join(folder, 'key.pem'), key);
  await writeFile(join(folder, 'cert.pem'), cert);
  const config = {
    version: 0.1,
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(folder, 'store') } },
    http: {
      addr: `127.0.0.1:${port}`,
      tls: { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') },
    },
  };
  await mkdir(join(folder, 'store'));
  await writeFile(join(folder, 'config.yml'), JSON.stringify(config));
  await daemon(t, 'docker-registry', ['serve', join(folder, 'config.yml')], port);

  const layout = join(folder, 'layout');
  await program('umoci', 'init', '--layout', layout);
  return {
    push: async (tag, layers, compression) => {
      const image = `${layout}:${tag}`;
      await program('umoci', 'new', '--image', image);
      for (const [path, file] of layers)
        await program('umoci', 'insert', '--rootless', '--image', image, file, path);
      const url = `docker://127.0.0.1:${port}/disks:${tag}`;
      const plain = join(folder, tag);
      const copy = (...args: string[]) => program('skopeo', '--insecure-policy', 'copy', ...args);
      // A layer that is compressed already keeps its compression, whatever is asked for.
      await copy('--dest-decompress', `oci:${image}`, `dir:${plain}`);
      await copy('--dest-tls-verify=false', '--dest-compress-format', compression, `dir:${plain}`, url);
      return url;
    },
  };
}
