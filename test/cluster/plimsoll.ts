import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { issueAuthority, issueServing } from '../../src/tls/authority.ts';
import type { Cluster } from './harness/cluster.ts';
import { type CommandResult, runCommand } from './harness/kubectl.ts';
import { freePorts } from './harness/ports.ts';
import { type Running, startProgram, untilReady } from './harness/processes.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');

/** Runs the command line as users do. */
export function plimsoll(args: readonly string[], input?: string): Promise<CommandResult> {
  return runCommand(process.execPath, [MAIN, ...args], input);
}

export interface Webhook {
  readonly program: Running;
  readonly configFile: string;
  readonly healthUrl: string;
  readonly metrics: () => Promise<string>;
}

/** The webhook as a process of its own, registered with the cluster by URL and caBundle. `settings` go into its configuration. */
export async function startWebhook(cluster: Cluster, settings: object): Promise<Webhook> {
  const folder = join(cluster.folder, 'plimsoll');
  await mkdir(folder, { recursive: true });
  const now = new Date();
  const authority = await issueAuthority({ commonName: 'plimsoll test CA', validForDays: 1, now });
  const serving = await issueServing(authority, { names: ['127.0.0.1'], validForDays: 1, now });
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  await writeFile(files.certFile, serving.certificatePem);
  await writeFile(files.keyFile, serving.privateKeyPem);
  const [port, healthPort] = (await freePorts(2)) as [number, number];
  const configFile = join(folder, 'plimsoll.yaml');
  const configuration = {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'Configuration',
    listen: { host: '127.0.0.1', port, healthPort },
    tls: files,
    ...settings,
  };
  await writeFile(configFile, JSON.stringify(configuration));
  // First, for the webhook is ready only where the live configurations trust its certificate.
  await cluster.kubectl.must(
    ['apply', '-f', '-'],
    JSON.stringify(webhookConfigurations(`https://127.0.0.1:${port}`, authority.certificatePem)),
  );
  const program = await startProgram({
    name: 'plimsoll',
    file: process.execPath,
    args: [MAIN, 'serve', '--config', configFile, '--drain', '0'],
    logFile: join(folder, 'plimsoll.log'),
  });
  const healthUrl = `http://127.0.0.1:${healthPort}`;
  // Until it listens, there is nobody to ask.
  await untilReady('plimsoll', program, () =>
    fetch(`${healthUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    program,
    configFile,
    healthUrl,
    metrics: async () => (await fetch(`${healthUrl}/metrics`)).text(),
  };
}

const rule = (
  group: string,
  versions: readonly string[],
  resource: string,
  operations = ['CREATE', 'UPDATE'],
) => ({
  apiGroups: [group],
  apiVersions: versions,
  resources: [resource],
  operations,
});

function webhookConfigurations(origin: string, caPem: string): object {
  const common = {
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    matchPolicy: 'Equivalent',
  };
  const clientConfig = (path: string) => ({
    url: `${origin}${path}`,
    caBundle: Buffer.from(caPem).toString('base64'),
  });
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'plimsoll' },
        webhooks: [
          {
            ...common,
            name: 'volumes.plimsoll.dev',
            clientConfig: clientConfig('/validate'),
            failurePolicy: 'Fail',
            timeoutSeconds: 8,
            rules: [
              rule('cdi.kubevirt.io', ['v1beta1'], 'datavolumes', ['CREATE']),
              rule('cdi.kubevirt.io', ['v1beta1'], 'dataimportcrons'),
            ],
          },
        ],
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: 'plimsoll' },
        webhooks: [
          {
            ...common,
            name: 'floors.plimsoll.dev',
            clientConfig: clientConfig('/mutate'),
            failurePolicy: 'Fail',
            timeoutSeconds: 2,
            reinvocationPolicy: 'IfNeeded',
            rules: [rule('apps', ['v1'], 'daemonsets'), rule('cdi.kubevirt.io', ['v1beta1'], 'cdis')],
          },
        ],
      },
    ],
  };
}
