// What a sweep over the pods of a large cluster costs, beside client-node's informer on a tenth of them.
// Each of the three runs in a process of its own, so that CPU and memory are its own.
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { connectCluster } from '../src/kube/client.ts';
import { systemClock } from '../src/kube/clock.ts';
import { countPods } from '../src/kube/density.ts';

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
  const size = [NODES, PODS, INFORMER_PODS].map(String);
  const server = fork(join(import.meta.dirname, 'density-server.ts'), [...size, folder]);
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
  const line = (name: string, cells: readonly string[]) =>
    console.log(name.padEnd(22) + cells.map((cell) => cell.padStart(13)).join(''));
  line('', ['sweep', 'target', 'informer', 'ratio a pod']);
  const row = (name: string, ours: number, target: number, theirs: number, digits: number) => {
    const ratio = theirs / INFORMER_PODS / (ours / PODS);
    line(name, [ours.toFixed(digits), `<= ${target}`, theirs.toFixed(digits), ratio.toFixed(0)]);
  };
  row('MB on the wire', bytes / 1e6, TARGETS.bytes / 1e6, informerBytes / 1e6, 1);
  row('CPU seconds (median)', cpuSeconds, TARGETS.cpuSeconds, informer.cpuSeconds, 2);
  row('RSS growth, MiB', rssMiB, TARGETS.rssMiB, informer.rssMiB, 0);
}

const [role, folder = ''] = process.argv.slice(2);
if (role === 'sweep') await sweep(folder);
else if (role === 'inform') {
  await inform(folder);
  // The watch would go on.
  process.exit(0);
} else await bench();
