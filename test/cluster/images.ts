import { execFile } from 'node:child_process';
import { open, truncate } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A qcow2 that real qemu-img made, padded (sparsely) to `storedSize` bytes. */
export async function makeQcow2(
  folder: string,
  name: string,
  virtualSize: string,
  storedSize?: number,
): Promise<string> {
  const path = join(folder, name);
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', path, virtualSize]);
  if (storedSize !== undefined) await truncate(path, storedSize);
  return path;
}

export interface ImageServer {
  readonly origin: string;
  readonly host: string;
  readonly stop: () => void;
}

/** Serves files of a folder on loopback, with ranges. */
export async function serveImages(folder: string): Promise<ImageServer> {
  const server = createServer((request, response) => {
    void (async () => {
      const file = await open(join(folder, basename(request.url ?? ''))).catch(() => null);
      if (file === null) {
        response.writeHead(404).end();
        return;
      }
      const { size } = await file.stat();
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [
        undefined,
        '0',
        '65535',
      ];
      const last = Math.min(Number(to), size - 1);
      const body = Buffer.alloc(last - Number(from) + 1);
      await file.read(body, 0, body.length, Number(from));
      await file.close();
      response
        .writeHead(206, {
          'content-range': `bytes ${from}-${last}/${size}`,
          'content-length': body.length,
          etag: `"${size}"`,
        })
        .end(body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    origin: `http://${host}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
