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
  readonly caPem: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate for the chart's Service, in files, and its CA. */
export async function certificate(cluster: Cluster): Promise<Certificate> {
  const now = new Date();
  const authority = await issueAuthority({ commonName: 'our CA', validForDays: 1, now });
  const serving = await issueServing(authority, {
    names: [`plimsoll.${NAMESPACE}.svc`],
    validForDays: 1,
    now,
  });
  const folder = join(cluster.folder, 'our-own');
  await mkdir(folder, { recursive: true });
  const caFile = join(folder, 'ca.crt');
  const certFile = join(folder, 'tls.crt');
  const keyFile = join(folder, 'tls.key');
  await writeFile(caFile, authority.certificatePem);
  await writeFile(certFile, serving.certificatePem);
  await writeFile(keyFile, serving.privateKeyPem);
  return { caFile, caPem: authority.certificatePem, certFile, keyFile };
}

export interface Served {
  readonly program: Running;
  /** Reviews that /mutate and /validate have answered. */
  readonly reviews: (webhook: string) => Promise<number>;
}

/** `plimsoll serve` with the configuration that the chart made, where the Service is looked for. */
export async function serve(
  cluster: Cluster,
  port: number,
  { certFile, keyFile }: Certificate,
): Promise<Served> {
  const configMap = await cluster.kubectl.getJson('configmap', 'plimsoll', '-n', NAMESPACE);
  const { cluster: _, ...rendered } = parse(textAt(configMap, 'data', 'plimsoll.yaml') ?? '');
  const [healthPort] = (await freePorts(1)) as [number];
  const configFile = join(cluster.folder, 'plimsoll.yaml');
  const configuration = {
    ...rendered,
    listen: { host: '127.0.0.1', port, healthPort },
    tls: { certFile, keyFile },
  };
  await writeFile(configFile, JSON.stringify(configuration));
  const program = await startProgram({
    name: 'plimsoll',
    file: process.execPath,
    args: [MAIN, 'serve', '--config', configFile, '--drain', '0'],
    logFile: join(cluster.folder, 'plimsoll.log'),
  });
  const health = `http://127.0.0.1:${healthPort}`;
  await untilReady('plimsoll', program, () =>
    fetch(`${health}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    program,
    reviews: async (webhook) => {
      const text = await (await fetch(`${health}/metrics`)).text();
      const lines = text.matchAll(
        new RegExp(`^plimsoll_admission_reviews_total\\{webhook="${webhook}".*\\} (\\d+)$`, 'gm'),
      );
      return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
    },
  };
}
