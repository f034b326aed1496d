// What the webhook is measured against: the least that a Node server can do with a POST over TLS. Prints its port.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

const [cert, key] = process.argv.slice(2).map((file) => readFileSync(file));
const server = createServer({ cert, key, keepAliveTimeout: 120_000 }, (incoming, answer) => {
  const parts: Buffer[] = [];
  incoming.on('data', (part) => parts.push(part));
  incoming.on('end', () => answer.setHeader('content-type', 'application/json').end(Buffer.concat(parts)));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
