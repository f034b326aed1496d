import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A file of which only the first bytes are there; the rest, up to `length`, reads as zeros. */
interface SparseFile {
  readonly head: Buffer;
  readonly length: number;
}

const GiB = 1024 ** 3;

/** The header of a qcow2 (version 3, 64 KiB clusters) of that virtual size; enough for its sizes to be read, not to be booted. */
function qcow2Head(virtualSize: number, backingFile = ''): Buffer {
  const head = Buffer.alloc(65_536);
  head.write('QFI\xfb', 0, 'latin1');
  head.writeUInt32BE(3, 4);
  if (backingFile !== '') {
    head.writeBigUInt64BE(1024n, 8);
    head.writeUInt32BE(backingFile.length, 16);
    head.write(backingFile, 1024);
  }
  head.writeUInt32BE(16, 20);
  head.writeBigUInt64BE(BigInt(virtualSize), 24);
  // One L2 table maps 512 MiB; the tables follow the header cluster.
  head.writeUInt32BE(Math.ceil(virtualSize / (512 * 1024 * 1024)), 36);
  head.writeBigUInt64BE(196_608n, 40);
  head.writeBigUInt64BE(65_536n, 48);
  head.writeUInt32BE(1, 56);
  head.writeUInt32BE(4, 96);
  head.writeUInt32BE(104, 100);
  return head;
}

/** The demo's images, by path. */
export const SAMPLES = {
  '/fedora.qcow2': { head: qcow2Head(10 * GiB), length: 1_100_000_000 },
  '/cirros.qcow2': { head: qcow2Head(112 * 1024 * 1024), length: 16_300_544 },
  '/overlay.qcow2': { head: qcow2Head(10 * GiB, 'fedora.qcow2'), length: 200_704 },
} as const satisfies Record<string, SparseFile>;

function bytesOf({ head, length }: SparseFile, from: number, to: number): Buffer {
  const part = Buffer.alloc(Math.min(to, length - 1) - from + 1);
  head.copy(part, 0, from);
  return part;
}

/** Serves the samples on loopback, with ranges, as a mirror would. */
export async function serveSamples(): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer((request, response) => {
    const file = (SAMPLES as Record<string, SparseFile>)[request.url ?? ''];
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (!file || from === undefined || to === undefined || Number(from) >= file.length) {
      response.writeHead(file ? 416 : 404).end();
      return;
    }
    const body = bytesOf(file, Number(from), Number(to));
    response
      .writeHead(206, {
        'content-type': 'application/octet-stream',
        'content-range': `bytes ${from}-${Number(from) + body.length - 1}/${file.length}`,
        'content-length': body.length,
      })
      .end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
