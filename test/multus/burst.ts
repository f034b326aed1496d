import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { startProgram, untilReady } from '../cluster/harness/processes.ts';
import { createMemoryCgroup, type Peaks } from './memory-cgroup.ts';
import { type Node, type NodePod, renewNetns } from './node.ts';

export type Delegate =
  /** ptp with host-local: two small Go programs for each call. */
  | { readonly kind: 'ptp' }
  /** One that makes no network but holds so many bytes for so long. */
  | { readonly kind: 'sized'; readonly bytes: number; readonly holdMilliseconds: number };

export interface Burst {
  readonly delegate: Delegate;
  /** Bytes. */
  readonly limit: number;
  /** Of the daemon's configuration; null: none. */
  readonly connectionLimit: number | null;
}

export interface BurstResult extends Peaks {
  readonly failures: number;
  /** Processes in the daemon's cgroup that the kernel killed. */
  readonly kills: number;
  readonly seconds: number;
  /** Of one that failed, as the runtime would show it; null where none did. */
  readonly failure: string | null;
}

/** A runtime gives up on a sandbox's network after some minutes; nobody gains anything by waiting so long here. */
const GIVE_UP_MS = 180_000;

let bursts = 0;

/** Starts the daemon in a memory cgroup, then the network of all pods at once, as a kubelet does after a restart. */
export async function runBurst(
  node: Node,
  pods: readonly NodePod[],
  { delegate, limit, connectionLimit }: Burst,
): Promise<BurstResult> {
  bursts += 1;
  const folder = join(node.folder, `burst-${bursts}`);
  const folders = { net: join(folder, 'net.d'), run: join(folder, 'run'), state: join(folder, 'state') };
  for (const path of Object.values(folders)) await mkdir(path, { recursive: true });
  const networkFile = join(folders.net, '10-bench.conflist');
  await writeFile(networkFile, JSON.stringify(networkOf(delegate, folder)));
  const configFile = join(folder, 'daemon-config.json');
  const configuration = {
    cniVersion: '0.4.0',
    logLevel: 'error',
    logToStderr: true,
    cniConfigDir: folders.net,
    multusAutoconfigDir: folders.net,
    multusConfigFile: 'auto',
    socketDir: folders.run,
    cniDir: folders.state,
    binDir: node.pluginFolder,
    ...(connectionLimit === null ? {} : { connectionLimit }),
  };
  await writeFile(configFile, JSON.stringify(configuration));
  await renewNetns(pods);
  const cgroup = await createMemoryCgroup(`plimsoll-multus-${process.pid}-${bursts}`, limit);
  try {
    const daemon = await startProgram({
      name: 'multus-daemon',
      file: 'sh',
      args: ['-c', `echo $$ > ${cgroup.procsFile} && exec "$0" -config ${configFile}`, node.daemonFile],
      env: node.env,
      logFile: join(folder, 'daemon.log'),
    });
    await untilReady('multus-daemon', daemon, () => isHealthy(join(folders.run, 'multus.sock')));
    // As the daemon itself writes it, but for where its socket is: on a node that is where the shim expects it.
    const shimConfiguration = JSON.stringify({
      cniVersion: configuration.cniVersion,
      name: 'multus-cni-network',
      type: 'multus-shim',
      clusterNetwork: networkFile,
      daemonSocketDir: folders.run,
    });
    const begun = performance.now();
    const outcomes = await Promise.all(pods.map((pod) => add(node, pod, shimConfiguration)));
    const seconds = (performance.now() - begun) / 1000;
    const failed = outcomes.filter((outcome) => outcome !== null);
    const kills = await cgroup.kills();
    await daemon.stop();
    return { ...cgroup.peaks(), failures: failed.length, kills, seconds, failure: failed[0] ?? null };
  } finally {
    await cgroup.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

function networkOf(delegate: Delegate, folder: string): object {
  const plugin =
    delegate.kind === 'ptp'
      ? {
          type: 'ptp',
          ipam: { type: 'host-local', subnet: '10.88.0.0/16', dataDir: join(folder, 'ipam') },
        }
      : { type: 'sized-delegate', bytes: delegate.bytes, holdMilliseconds: delegate.holdMilliseconds };
  return { cniVersion: '0.4.0', name: 'bench', plugins: [plugin] };
}

/** The shim as the container runtime calls it, outside of the daemon's cgroup; what it said where it failed. */
function add(node: Node, { name, uid, netns }: NodePod, configuration: string): Promise<string | null> {
  const args = [
    'IgnoreUnknown=1',
    'K8S_POD_NAMESPACE=default',
    `K8S_POD_NAME=${name}`,
    `K8S_POD_INFRA_CONTAINER_ID=${name}`,
    `K8S_POD_UID=${uid}`,
  ];
  const env = {
    ...node.env,
    CNI_COMMAND: 'ADD',
    CNI_CONTAINERID: name,
    CNI_NETNS: netns,
    CNI_IFNAME: 'eth0',
    CNI_ARGS: args.join(';'),
  };
  return new Promise((resolve, reject) => {
    const child = spawn(node.shimFile, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const late = setTimeout(() => child.kill('SIGKILL'), GIVE_UP_MS);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(late);
      resolve(code === 0 ? null : signal === null ? said : 'no answer in time');
    });
    // It may be killed before it has read all.
    child.stdin.on('error', () => {});
    child.stdin.end(configuration);
  });
}

function isHealthy(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request({ socketPath, path: '/healthz', timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve(false));
    sent.end();
  });
}
