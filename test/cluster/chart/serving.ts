import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { textAt } from '../../../src/object/object.ts';
import { issueAuthority, issueServing } from '../../../src/tls/authority.ts';
import type { Cluster } from '../harness/cluster.ts';
import { freePorts } from '../harness/ports.ts';
import { type Running, startProgram, untilReady } from '../harness/processes.ts';
import { NAMESPACE } from './release.ts';

const MAIN = resolve(import.meta.dirname, '../../../src/cli/main.ts');

export interface Certificate {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate for the chart's Service, in files, and its CA. */
export async function certificate(cluster: Cluster): Promise<Certificate> {
  const life = { now: new Date(), validForDays: 1 };
  const authority = await issueAuthority({ commonName: 'our CA', ...life });
  const serving = await issueServing(authority, { names: [`plimsoll.${NAMESPACE}.svc`], ...life });
  const folder = join(cluster.folder, 'our-own');
  await mkdir(folder, { recursive: true });
  const caFile = join(folder, 'ca.crt');
  const certFile = join(folder, 'tls.crt');
  const keyFile = join(folder, 'tls.key');
  await writeFile(caFile, authority.certificatePem);
  await writeFile(certFile, serving.certificatePem);
  await writeFile(keyFile, serving.privateKeyPem);
  return { caFile, certFile, keyFile };
}

export interface Served {
  readonly program: Running;
  readonly readiness: () => Promise<string>;
  /** Reviews that /mutate and /validate have answered. */
  readonly reviews: (webhook: string) => Promise<number>;
}

/** What stands in for the pod's own: files that it would mount, settings, and the account that it would run as. */
export interface Surroundings {
  readonly settings: object;
  /** Null: it needs no cluster. */
  readonly kubeconfig: string | null;
}

/** A kubeconfig of the chart's ServiceAccount, by a token as its pods get one. */
export async function accountKubeconfig(cluster: Cluster): Promise<string> {
  const token = await cluster.kubectl.must(['create', 'token', 'plimsoll', '-n', NAMESPACE]);
  const path = join(cluster.folder, 'account.kubeconfig');
  const ca = Buffer.from(cluster.caPem).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'pod',
    contexts: [{ name: 'pod', context: { cluster: 'pod', user: 'pod' } }],
    clusters: [{ name: 'pod', cluster: { server: cluster.url, 'certificate-authority-data': ca } }],
    users: [{ name: 'pod', user: { token: token.trim() } }],
  };
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

/** `plimsoll serve` with the configuration that the chart made, on the port of its Service; ready when it returns. */
export async function serve(cluster: Cluster, port: number, surroundings: Surroundings): Promise<Served> {
  const configMap = await cluster.kubectl.getJson('configmap', 'plimsoll', '-n', NAMESPACE);
  const rendered = parse(textAt(configMap, 'data', 'plimsoll.yaml') ?? '');
  const [healthPort] = (await freePorts(1)) as [number];
  const configFile = join(cluster.folder, 'plimsoll.yaml');
  const listen = { host: '127.0.0.1', port, healthPort };
  await writeFile(configFile, JSON.stringify({ ...rendered, listen, ...surroundings.settings }));
  const program = await startProgram({
    name: 'plimsoll',
    file: process.execPath,
    args: [MAIN, 'serve', '--config', configFile, '--drain', '0'],
    env: { ...process.env, KUBECONFIG: surroundings.kubeconfig ?? '/nowhere' },
    logFile: join(cluster.folder, 'plimsoll.log'),
  });
  const health = `http://127.0.0.1:${healthPort}`;
  try {
    await untilReady('plimsoll', program, () =>
      fetch(`${health}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  } catch (error) {
    await program.stop();
    throw error;
  }
  return {
    program,
    readiness: async () => (await fetch(`${health}/readyz`)).text(),
    reviews: async (webhook) => {
      const text = await (await fetch(`${health}/metrics`)).text();
      const lines = text.matchAll(
        new RegExp(`^plimsoll_admission_reviews_total\\{webhook="${webhook}".*\\} (\\d+)$`, 'gm'),
      );
      return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
    },
  };
}
