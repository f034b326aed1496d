// What a sweep over the pods of a large cluster costs, beside client-node's informer on a tenth of them.
// Each of the three runs in a process of its own, so that CPU and memory are its own.
import { fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { connectCluster } from '../src/kube/client.ts';
import { systemClock } from '../src/kube/clock.ts';
import { countPods } from '../src/kube/density.ts';
import { issueAuthority, issueServing } from '../src/tls/authority.ts';

const NODES = Number(process.env.BENCH_NODES ?? 5000);
const PODS = Number(process.env.BENCH_PODS ?? 150_000);
const INFORMER_PODS = Math.ceil(PODS / 10);
const SWEEPS = 5;
const TARGETS = { bytes: 25e6, cpuSeconds: 1, rssMiB: 64 };

interface Cost {
  readonly cpuSeconds: number;
  /** Of the process at its peak, over what it was before. */
  readonly rssMiB: number;
}

const nodeOf = (pod: number) => `worker-${String(pod % NODES).padStart(4, '0')}.example.com`;
const nameOf = (pod: number) => `web-${(pod * 2654435761) % 4294967296}-${pod.toString(36).padStart(5, '0')}`;

/** As long as the API server's own. */
const columns = [
  ['Name', 373],
  ['Ready', 64],
  ['Status', 51],
  ['Restarts', 121],
  ['Age', 412],
  ['IP', 101],
  ['Node', 428],
  ['Nominated Node', 553],
  ['Readiness Gates', 283],
].map(([name, length]) => ({
  name,
  type: 'string',
  format: '',
  description: 'x'.repeat(Number(length)),
  priority: 0,
}));

const rowOf = (pod: number) => ({
  cells: [
    nameOf(pod),
    '1/1',
    'Running',
    '0',
    '12d',
    `10.42.${pod % 250}.${pod % 253}`,
    nodeOf(pod),
    '<none>',
    '<none>',
  ],
  object: null,
});

/** 10 kB, as a pod with two containers and its managed fields is. */
function wholePod(pod: number): object {
  const env = Array.from({ length: 20 }, (_, index) => ({
    name: `VARIABLE_${index}`,
    value: `value-${pod}-${index}`,
  }));
  const container = (name: string) => ({
    name,
    image: `registry.example.com/team/${name}:1.2.3`,
    env,
    resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '100m', memory: '256Mi' } },
    volumeMounts: [
      { name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    ],
  });
  const fields = Object.fromEntries(
    env.map(({ name }) => [`k:{"name":"${name}"}`, { '.': {}, 'f:name': {}, 'f:value': {} }]),
  );
  return {
    metadata: {
      name: nameOf(pod),
      namespace: 'default',
      uid: `00000000-0000-4000-8000-${String(pod).padStart(12, '0')}`,
      resourceVersion: String(pod),
      labels: { app: 'web', team: 'shop' },
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          fieldsV1: { 'f:spec': { a: fields, b: fields } },
        },
        { manager: 'kubelet', operation: 'Update', fieldsV1: { 'f:status': fields } },
      ],
    },
    spec: { nodeName: nodeOf(pod), containers: [container('main'), container('sidecar')] },
    status: { phase: 'Running', podIP: `10.42.${pod % 250}.${pod % 253}`, hostIP: '10.0.0.1' },
  };
}

/** An API server with that many pods; tells its parent how many bytes each process has cost it. */
async function serve(folder: string): Promise<void> {
  const life = { now: new Date(), validForDays: 1 };
  const authority = await issueAuthority({ commonName: 'bench', ...life });
  const serving = await issueServing(authority, { names: ['127.0.0.1'], ...life });
  const sockets = new Set<Socket>();
  let closedBytes = 0;
  const tls = { cert: serving.certificatePem, key: serving.privateKeyPem };
  const server = createServer(tls, (request, answer) => {
    const { searchParams } = new URL(request.url ?? '', 'https://bench');
    answer.setHeader('content-type', 'application/json');
    // The informer's watch stays quiet.
    if (searchParams.has('watch')) return void answer.write('\n');
    if (!`${request.headers.accept}`.includes('as=Table')) {
      const items = Array.from({ length: INFORMER_PODS }, (_, pod) => JSON.stringify(wholePod(pod)));
      return void answer.end(
        `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[${items.join(',')}]}`,
      );
    }
    const from = Number(searchParams.get('continue') ?? 0);
    const count = Math.min(Number(searchParams.get('limit')), PODS - from);
    const next = from + count < PODS ? String(from + count) : '';
    const rows = Array.from({ length: count }, (_, index) => rowOf(from + index));
    return void answer.end(
      JSON.stringify({
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: '1', continue: next },
        columnDefinitions: columns,
        rows,
      }),
    );
  });
  // Below TLS, so with headers and records.
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      closedBytes += socket.bytesWritten;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const config = {
    'current-context': 'bench',
    clusters: [
      {
        name: 'bench',
        cluster: {
          server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
          'certificate-authority-data': Buffer.from(authority.certificatePem).toString('base64'),
        },
      },
    ],
    users: [{ name: 'bench', user: { token: 'bench' } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
  };
  await writeFile(join(folder, 'config'), JSON.stringify(config));
  process.on('message', () => {
    process.send?.([...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, closedBytes));
  });
  process.send?.(0);
}

const MIB = 1024 * 1024;
const seconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6;

/** What `run` costs this process. */
async function costOf(run: () => Promise<void>): Promise<Cost> {
  globalThis.gc?.();
  const rss = process.memoryUsage().rss;
  let peak = rss;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  const before = process.cpuUsage();
  await run();
  const cpuSeconds = seconds(process.cpuUsage(before));
  clearInterval(sampling);
  peak = Math.max(peak, process.memoryUsage().rss);
  return { cpuSeconds, rssMiB: (peak - rss) / MIB };
}

/** Several sweeps in one process: the first has everything to load and compile. */
async function sweep(folder: string): Promise<void> {
  const { api, close } = await connectCluster(
    { kind: 'kubeconfig', file: join(folder, 'config') },
    'plimsoll/bench',
  );
  const rss = process.memoryUsage().rss;
  for (let index = 0; index < SWEEPS; index++) {
    const cost = await costOf(async () => {
      const { signal } = new AbortController();
      const { pods } = await countPods(api, { clock: systemClock, deadline: Date.now() + 300_000, signal });
      const counted = [...pods.values()].reduce((sum, count) => sum + count, 0);
      if (counted !== PODS || pods.size !== Math.min(NODES, PODS)) throw new Error(`counted ${counted} pods`);
    });
    const growth = (process.resourceUsage().maxRSS * 1024 - rss) / MIB;
    // The peak of all sweeps until now, over what the process had before the first.
    await tell({ ...cost, rssMiB: growth });
  }
  await close();
}

async function inform(folder: string): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(join(folder, 'config'));
  const core = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, '/api/v1/pods', () => core.listPodForAllNamespaces());
  const cost = await costOf(() => informer.start());
  if (informer.list().length !== INFORMER_PODS)
    throw new Error(`${informer.list().length} pods in the cache`);
  await tell(cost);
}

const tell = (message: unknown) => new Promise<void>((resolve) => process.send?.(message, () => resolve()));

/** Runs one role in a process of its own; the answer is all that it told. */
function runRole(role: string, folder: string): Promise<Cost[]> {
  const child = fork(import.meta.filename, [role, folder], { execArgv: ['--expose-gc'] });
  const told: Cost[] = [];
  child.on('message', (message) => told.push(message as Cost));
  return new Promise((resolve, reject) => {
    child.on('exit', (code) =>
      code === 0 ? resolve(told) : reject(new Error(`${role} ended with ${code}`)),
    );
  });
}

async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
  const server = fork(import.meta.filename, ['serve', folder]);
  const bytes = () =>
    new Promise<number>((resolve) => {
      server.once('message', (sum) => resolve(sum as number));
      server.send('bytes');
    });
  try {
    await new Promise((resolve) => server.once('message', resolve));
    const atStart = await bytes();
    const sweeps = await runRole('sweep', folder);
    const afterSweeps = await bytes();
    const [informer] = await runRole('inform', folder);
    const afterInformer = await bytes();
    print(sweeps, (afterSweeps - atStart) / SWEEPS, informer!, afterInformer - afterSweeps);
  } finally {
    server.kill();
    await rm(folder, { recursive: true });
  }
}

function print(sweeps: readonly Cost[], bytes: number, informer: Cost, informerBytes: number): void {
  const cpus = sweeps.map(({ cpuSeconds }) => cpuSeconds);
  const cpuSeconds = cpus.toSorted((a, b) => a - b)[Math.floor(cpus.length / 2)]!;
  const rssMiB = sweeps.at(-1)!.rssMiB;
  console.log(`${NODES} nodes, ${PODS} pods; ${SWEEPS} sweeps; the informer with ${INFORMER_PODS} pods`);
  console.log(`CPU seconds of each sweep: ${cpus.map((cpu) => cpu.toFixed(2)).join(' ')}`);
  console.log(
    `${''.padEnd(22)}${['sweep', 'target', 'informer', 'informer / sweep, a pod'].map((head) => head.padStart(12)).join('')}`,
  );
  const row = (name: string, ours: number, target: number, theirs: number, digits: number) => {
    const ratio = theirs / INFORMER_PODS / (ours / PODS);
    const cells = [ours.toFixed(digits), `<= ${target}`, theirs.toFixed(digits), ratio.toFixed(0)];
    console.log(`${name.padEnd(22)}${cells.map((cell) => cell.padStart(12)).join('')}`);
  };
  row('MB on the wire', bytes / 1e6, TARGETS.bytes / 1e6, informerBytes / 1e6, 1);
  row('CPU seconds (median)', cpuSeconds, TARGETS.cpuSeconds, informer.cpuSeconds, 2);
  row('RSS growth, MiB', rssMiB, TARGETS.rssMiB, informer.rssMiB, 0);
}

const [role, folder = ''] = process.argv.slice(2);
if (role === 'serve') await serve(folder);
else if (role === 'sweep') await sweep(folder);
else if (role === 'inform') {
  await inform(folder);
  // The watch would go on.
  process.exit(0);
} else await bench();
