// Reviews per second over TLS keep-alive, for a decision whose image is cached, beside a bare HTTPS echo in the same run.
// Both servers are processes of their own, as the API server's webhooks are.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { demoCases } from '../src/cli/demo/cases.ts';
import { serveSamples } from '../src/cli/demo/images.ts';
import { issueAuthority, issueServing } from '../src/tls/authority.ts';

const CONNECTIONS = 16;
const ROUNDS = 5;
const SECONDS_A_ROUND = Number(process.env.BENCH_SECONDS ?? 3);
/** /proc counts processor time in hundredths of a second on every Linux of today (sysconf(_SC_CLK_TCK)). */
const TICK_MS = 10;

interface Load {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's processor time for one request. */
  readonly cpu: number;
}

interface Target {
  readonly child: ChildProcess;
  readonly port: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, rejectUnauthorized: false });

function post(port: number, body: Buffer): Promise<void> {
  return new Promise((done, fail) => {
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
          answer.statusCode === 200 ? done() : fail(new Error(`${answer.statusCode}`)),
        );
      },
    );
    sent.on('error', fail);
    sent.end(body);
  });
}

async function cpuMs({ child }: Target): Promise<number> {
  const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function load(target: Target, body: Buffer): Promise<Load> {
  const times: number[] = [];
  const cpuBefore = await cpuMs(target);
  const begin = performance.now();
  const end = begin + SECONDS_A_ROUND * 1000;
  const client = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      await post(target.port, body);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  const seconds = (performance.now() - begin) / 1000;
  const cpu = ((await cpuMs(target)) - cpuBefore) * 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), cpu: cpu / times.length };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
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
const [port, healthPort] = [await freePort(), await freePort()];
const configFile = join(folder, 'plimsoll.yaml');
await writeFile(
  configFile,
  JSON.stringify({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'Configuration',
    listen: { host: '127.0.0.1', port, healthPort },
    tls: files,
    probe: { addresses: { mode: 'any' } },
    log: { level: 'warn' },
  }),
);

const start = (script: string, ...args: readonly string[]) =>
  spawn(process.execPath, [resolve(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const echoChild = start('echo.ts', files.certFile, files.keyFile);
const [printed] = (await once(echoChild.stdout!, 'data')) as [Buffer];
const echo: Target = { child: echoChild, port: Number(printed.toString()) };
const webhook: Target = {
  child: start('../src/cli/main.ts', 'serve', '--config', configFile, '--drain', '0'),
  port,
};
while (!(await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => null))?.ok)
  await new Promise((wake) => setTimeout(wake, 100));

const body = Buffer.from(
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'bench', operation: 'CREATE', namespace: 'demo', object: demoCases(origin)[0]!.object },
  }),
);

await load(webhook, body);
await load(echo, body);
const rounds: { ours: Load; echo: Load }[] = [];
for (let round = 0; round < ROUNDS; round++)
  rounds.push({ ours: await load(webhook, body), echo: await load(echo, body) });

const ratio = (of: (load: Load) => number) => median(rounds.map((round) => of(round.ours) / of(round.echo)));
const value = (whose: 'ours' | 'echo', of: (load: Load) => number) =>
  median(rounds.map((round) => of(round[whose])));
console.log(`${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS_A_ROUND} s each, medians`);
for (const [name, of] of [
  ['requests/s', (one: Load) => one.perSecond],
  ['p50 ms', (one: Load) => one.p50],
  ['p99 ms', (one: Load) => one.p99],
  ['server µs', (one: Load) => one.cpu],
] as const)
  console.log(
    `${name.padEnd(11)} webhook ${value('ours', of).toFixed(2).padStart(9)}  echo ${value('echo', of).toFixed(2).padStart(9)}  ratio ${ratio(of).toFixed(2)}`,
  );

agent.destroy();
samples.close();
samples.closeAllConnections();
for (const { child } of [echo, webhook]) {
  child.kill();
  await once(child, 'exit');
}
await rm(folder, { recursive: true });
