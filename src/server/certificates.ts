import { readFile } from 'node:fs/promises';
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { ConfigurationError } from '../config/parse.ts';
import type { Settings } from '../config/settings.ts';
import { loadServing, type Serving } from '../tls/serving.ts';
import type { Knowing } from './knowing.ts';
import { startSelfManaged } from './self-managed.ts';

/** How often certificate files, or the Secret and our webhook configurations, are looked at. */
const POLL_MS = 2000;
const SECRET_POLL_MS = 5000;

async function readClientAuthority(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null;
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationError([`tls.clientCAFile: ${file} cannot be read (${error.code})`]);
  });
}

/** The certificates that the configuration asks for. Resolves when there is something to serve. */
export async function startCertificates(
  { configuration: { tls, cluster } }: Settings,
  knowing: Knowing,
  logger: Logger,
  onContext: (context: SecureContextOptions) => void,
): Promise<Serving> {
  if (tls.mode === 'selfManaged' && knowing.connection !== null)
    return startSelfManaged({
      api: knowing.connection.api,
      namespace: cluster.namespace,
      secret: tls.secret,
      service: tls.service,
      webhookConfiguration: tls.webhookConfiguration,
      clientAuthorityPem: await readClientAuthority(tls.clientCAFile),
      isLeader: knowing.isLeader,
      onContext,
      logger,
      intervalMs: SECRET_POLL_MS,
      lives: { authorityDays: tls.authorityDays, leafDays: tls.leafDays },
    });
  return loadServing({
    certificateFile: tls.certFile,
    privateKeyFile: tls.keyFile,
    authorityFile: null,
    clientAuthorityFile: tls.clientCAFile ?? null,
    names: [],
    pollMs: POLL_MS,
    now: () => new Date(),
    onContext,
  });
}
