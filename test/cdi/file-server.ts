import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface FileServer {
  /** `127.0.0.1:port` */
  readonly host: string;
  urlOf(file: string): string;
  stop(): void;
}

/** Serves the files of a folder on loopback as any web server does: GET, HEAD and single ranges. */
export async function serveFiles(folder: string): Promise<FileServer> {
  const server = createServer((request, response) => {
    answer(folder, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    urlOf: (file) => `http://${host}/${basename(file)}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = join(folder, basename(request.url ?? ''));
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile()) {
    response.writeHead(404).end();
    return;
  }
  const { size } = found;
  const headers = { 'accept-ranges': 'bytes', etag: `"${size}-${found.mtimeMs}"` };
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const start = from === undefined ? 0 : Number(from);
  const end = Math.min(to ? Number(to) : size - 1, size - 1);
  if (from !== undefined && start >= size) {
    response.writeHead(416, { ...headers, 'content-range': `bytes */${size}` }).end();
    return;
  }
  response.writeHead(from === undefined ? 200 : 206, {
    ...headers,
    'content-length': end - start + 1,
    ...(from === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === 'HEAD' || size === 0) response.end();
  else await pipeline(createReadStream(file, { start, end }), response);
}
