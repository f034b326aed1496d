// Reviews per second over TLS keep-alive, for a decision whose image is cached, beside a bare HTTPS echo in the same run.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoCases } from '../src/cli/demo/cases.ts';
import { serveSamples } from '../src/cli/demo/images.ts';
import { startServer } from '../src/server.ts';
import { issueAuthority, issueServing } from '../src/tls/authority.ts';

const CONNECTIONS = 16;
const ROUNDS = 5;
const SECONDS_A_ROUND = Number(process.env.BENCH_SECONDS ?? 3);

interface Load {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, rejectUnauthorized: false });

function post(port: number, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/validate?timeout=8s',
        headers: { 'content-type': 'application/json', 'content-length': body.length },
      },
      (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`)),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function load(port: number, body: Buffer): Promise<Load> {
  const times: number[] = [];
  const begin = performance.now();
  const end = begin + SECONDS_A_ROUND * 1000;
  const client = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      await post(port, body);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  const seconds = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
const now = new Date();
const authority = await issueAuthority({ commonName: 'bench CA', validForDays: 1, now });
const serving = await issueServing(authority, { names: ['127.0.0.1'], validForDays: 1, now });
const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
await writeFile(files.certFile, serving.certificatePem);
await writeFile(files.keyFile, serving.privateKeyPem);
const { server: samples, origin } = await serveSamples();
const configFile = join(folder, 'plimsoll.yaml');
await writeFile(
  configFile,
  JSON.stringify({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'Configuration',
    listen: { host: '127.0.0.1', port: 0, healthPort: 0 },
    tls: files,
    probe: { addresses: { mode: 'any' } },
    log: { level: 'warn' },
  }),
);
const plimsoll = await startServer({ configFile, version: 'bench', log: process.stderr });
const echo = createServer(
  { cert: serving.certificatePem, key: serving.privateKeyPem },
  (incoming, answer) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part) => parts.push(part));
    incoming.on('end', () => answer.setHeader('content-type', 'application/json').end(Buffer.concat(parts)));
  },
);
await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
const echoPort = (echo.address() as AddressInfo).port;

const body = Buffer.from(
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'bench', operation: 'CREATE', namespace: 'demo', object: demoCases(origin)[0]!.object },
  }),
);

await load(plimsoll.port, body);
await load(echoPort, body);
const rounds: { ours: Load; echo: Load }[] = [];
for (let round = 0; round < ROUNDS; round++)
  rounds.push({ ours: await load(plimsoll.port, body), echo: await load(echoPort, body) });

const ratio = (of: (load: Load) => number) => median(rounds.map(({ ours, echo }) => of(ours) / of(echo)));
const value = (whose: 'ours' | 'echo', of: (load: Load) => number) =>
  median(rounds.map((round) => of(round[whose])));
console.log(`${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS_A_ROUND} s each, medians`);
for (const [name, of] of [
  ['reviews/s', (one: Load) => one.perSecond],
  ['p50 ms', (one: Load) => one.p50],
  ['p99 ms', (one: Load) => one.p99],
] as const)
  console.log(
    `${name.padEnd(10)} webhook ${value('ours', of).toFixed(2).padStart(9)}  echo ${value('echo', of).toFixed(2).padStart(9)}  ratio ${ratio(of).toFixed(2)}`,
  );

agent.destroy();
echo.close();
samples.close();
await plimsoll.stop(0);
await rm(folder, { recursive: true });
