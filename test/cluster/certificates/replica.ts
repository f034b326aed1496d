import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { connect } from 'node:tls';
import type { Cluster } from '../harness/cluster.ts';
import { freePorts } from '../harness/ports.ts';
import { type Running, startProgram, untilReady } from '../harness/processes.ts';

const MAIN = resolve(import.meta.dirname, '../../../src/cli/main.ts');

/** One `plimsoll serve`. */
export interface Replica {
  readonly program: Running;
  readonly port: number;
  /** Of /readyz. */
  readonly readiness: () => Promise<string>;
  /** Of a metric without labels, or with these; null where it is not told. */
  readonly metric: (name: string) => Promise<number | null>;
  readonly untilReady: () => Promise<void>;
}

export interface ReplicaOptions {
  readonly kubeconfig: string;
  readonly tls: object;
  /** Between unready and the end. */
  readonly drainSeconds: number;
}

let replicas = 0;

/** Starts one; it may not be ready yet when it returns. */
export async function startReplica(cluster: Cluster, options: ReplicaOptions): Promise<Replica> {
  const id = replicas++;
  const [port, healthPort] = (await freePorts(2)) as [number, number];
  const configFile = join(cluster.folder, `replica-${id}.yaml`);
  const configuration = {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'Configuration',
    listen: { host: '127.0.0.1', port, healthPort },
    cluster: { enabled: true, pollSeconds: 5 },
    tls: { mode: 'selfManaged', ...options.tls },
    memoryFloor: { density: { statistic: 'fixed', pods: 90 } },
    probe: { addresses: { mode: 'off' } },
  };
  await writeFile(configFile, JSON.stringify(configuration));
  const program = await startProgram({
    name: 'plimsoll',
    file: process.execPath,
    args: [MAIN, 'serve', '--config', configFile, '--drain', String(options.drainSeconds)],
    env: { ...process.env, KUBECONFIG: options.kubeconfig },
    logFile: join(cluster.folder, `replica-${id}.log`),
  });
  const ask = async (path: string) => fetch(`http://127.0.0.1:${healthPort}${path}`);
  return {
    program,
    port,
    readiness: async () => (await ask('/readyz')).text(),
    metric: async (name) => {
      const text = await (await ask('/metrics')).text();
      const line = text.split('\n').find((line) => line.startsWith(`${name} `));
      return line === undefined ? null : Number(line.slice(name.length));
    },
    untilReady: () =>
      untilReady('plimsoll', program, () =>
        ask('/readyz').then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
  };
}

/** SHA-256 of the certificate that is served at this port of loopback; null where TLS fails. */
export function servedAt(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    // Whether it is trusted is for the API server to say.
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    const end = (result: string | null) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate()?.fingerprint256 ?? null));
    socket.once('error', () => end(null));
  });
}
