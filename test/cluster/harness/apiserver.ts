import { generateKeyPair } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { issueAuthority, issueClient, issueServing, type KeyPair } from '../../../src/tls/authority.ts';
import { findBinary } from './binaries.ts';
import { freePorts } from './ports.ts';
import { type Running, startProgram, untilReady } from './processes.ts';

export interface ApiServerOptions {
  /** Takes certificates, logs and etcd's data. */
  readonly folder: string;
  /** An audit Policy, as YAML; nothing is audited without one. */
  readonly auditPolicy?: string;
  /** More flags of kube-apiserver. */
  readonly flags?: readonly string[];
}

export interface ApiServer {
  readonly url: string;
  /** Signs the serving certificate and those of all users. */
  readonly authority: KeyPair;
  /** In system:masters. */
  readonly admin: KeyPair;
  /** PEM, for programs that sign service accounts' tokens. */
  readonly serviceAccountKeyFile: string;
  /** Of etcd and kube-apiserver. */
  readonly pids: readonly number[];
  /** All audit events until now, oldest first. */
  auditEvents(): Promise<unknown[]>;
  stop(): Promise<void>;
}

const VALID_FOR_DAYS = 2;

/** Starts etcd and kube-apiserver on free ports of loopback; they are ready when it returns. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { folder } = options;
  const [clientPort, peerPort, securePort] = await freePorts(3);
  const files = await writeKeys(folder);
  const programs: Running[] = [];
  const stop = async (): Promise<void> => {
    for (const program of programs.toReversed()) await program.stop();
  };
  try {
    const etcd = await startProgram({
      name: 'etcd',
      file: await findBinary('etcd'),
      logFile: join(folder, 'etcd.log'),
      args: [
        `--data-dir=${join(folder, 'etcd')}`,
        `--listen-client-urls=http://127.0.0.1:${clientPort}`,
        `--advertise-client-urls=http://127.0.0.1:${clientPort}`,
        `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
        '--unsafe-no-fsync',
        '--log-level=warn',
      ],
    });
    programs.push(etcd);

    const auditLog = join(folder, 'audit.log');
    const apiserver = await startProgram({
      name: 'kube-apiserver',
      file: await findBinary('kube-apiserver'),
      logFile: join(folder, 'kube-apiserver.log'),
      args: [
        `--etcd-servers=http://127.0.0.1:${clientPort}`,
        '--bind-address=127.0.0.1',
        '--advertise-address=127.0.0.1',
        `--secure-port=${securePort}`,
        `--tls-cert-file=${files.servingCertificate}`,
        `--tls-private-key-file=${files.servingKey}`,
        `--client-ca-file=${files.authorityCertificate}`,
        `--service-account-key-file=${files.serviceAccountKey}`,
        `--service-account-signing-key-file=${files.serviceAccountKey}`,
        '--service-account-issuer=https://kubernetes.default.svc',
        '--authorization-mode=RBAC',
        '--service-cluster-ip-range=10.0.0.0/24',
        // It would wait for a controller that makes each namespace's default account.
        '--disable-admission-plugins=ServiceAccount',
        '--endpoint-reconciler-type=none',
        '--allow-privileged=true',
        ...(await auditFlags(folder, auditLog, options.auditPolicy)),
        ...(options.flags ?? []),
      ],
    });
    programs.push(apiserver);

    const url = `https://127.0.0.1:${securePort}`;
    const { authority, admin } = files;
    const caPem = authority.certificatePem;
    await untilReady('kube-apiserver', apiserver, () => answersOk(`${url}/readyz`, caPem, admin));
    return {
      url,
      authority,
      admin,
      serviceAccountKeyFile: files.serviceAccountKey,
      pids: programs.map(({ pid }) => pid),
      auditEvents: async () => {
        const lines = (await readFile(auditLog, 'utf8')).split('\n');
        return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeKeys(folder: string) {
  const life = { now: new Date(), validForDays: VALID_FOR_DAYS };
  const authority = await issueAuthority({ commonName: 'test cluster', ...life });
  const [serving, admin, serviceAccount] = await Promise.all([
    issueServing(authority, { names: ['127.0.0.1', 'localhost'], ...life }),
    issueClient(authority, { commonName: 'admin', organizations: ['system:masters'], ...life }),
    promisify(generateKeyPair)('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    }),
  ]);
  const files = {
    authorityCertificate: join(folder, 'ca.crt'),
    servingCertificate: join(folder, 'apiserver.crt'),
    servingKey: join(folder, 'apiserver.key'),
    serviceAccountKey: join(folder, 'service-account.key'),
  };
  await Promise.all([
    writeFile(files.authorityCertificate, authority.certificatePem),
    writeFile(files.servingCertificate, serving.certificatePem),
    writeFile(files.servingKey, serving.privateKeyPem, { mode: 0o600 }),
    writeFile(files.serviceAccountKey, serviceAccount.privateKey, { mode: 0o600 }),
  ]);
  return { ...files, authority, admin };
}

async function auditFlags(folder: string, log: string, policy: string | undefined): Promise<string[]> {
  if (policy === undefined) return [];
  const file = join(folder, 'audit-policy.yaml');
  await writeFile(file, policy);
  return [`--audit-policy-file=${file}`, `--audit-log-path=${log}`];
}

/** Whether that address answers 200 to the user. */
function answersOk(url: string, ca: string, user: KeyPair): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { ca, cert: user.certificatePem, key: user.privateKeyPem, agent: false, timeout: 5_000 };
    const sent = request(url, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve(false));
    sent.end();
  });
}
