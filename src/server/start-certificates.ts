import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { ConfigurationError } from '../config/parse.ts';
import type { Settings } from '../config/settings.ts';
import type { KubeApi } from '../kube/api.ts';
import { systemClock } from '../kube/clock.ts';
import { startPolling } from '../kube/poll.ts';
import { loadServing } from '../tls/serving.ts';
import type { Certificates, OnContext } from './certificates.ts';
import { followBundles } from './live-bundles.ts';
import { SelfManaged } from './self-managed.ts';

/** How often certificate files are looked at. */
const POLL_MS = 2000;
/** As long as there is nothing to serve, the Secret is looked at more often. */
const FIRST_POLL_MS = 1000;
/** Keys may have to be made, on a share of a CPU. */
const PASS_MS = 30_000;

/**
 * The certificates that the configuration asks for; `api` is null where no cluster is read. Throws ConfigurationError or
 * ServingError.
 */
export async function startCertificates(
  settings: Settings,
  api: KubeApi | null,
  isLeader: () => boolean,
  logger: Logger,
  onContext: OnContext,
): Promise<Certificates> {
  if (settings.configuration.tls.mode === 'files') return followFiles(settings, api, logger, onContext);
  if (api === null) throw new ConfigurationError(['tls.mode: selfManaged needs cluster.enabled']);
  return manage(settings, api, isLeader, logger, onContext);
}

async function followFiles(
  { configuration: { tls } }: Settings,
  api: KubeApi | null,
  logger: Logger,
  onContext: OnContext,
): Promise<Certificates> {
  const serving = await loadServing({
    certificateFile: tls.certFile,
    privateKeyFile: tls.keyFile,
    authorityFile: null,
    clientAuthorityFile: tls.clientCAFile ?? null,
    names: [],
    pollMs: POLL_MS,
    now: () => new Date(),
    onContext,
  });
  const { webhookConfiguration: name, pollSeconds } = tls;
  const bundles =
    api === null
      ? null
      : followBundles({ api, name, intervalMs: pollSeconds * 1000, clock: systemClock, logger });
  return {
    first: Promise.resolve(),
    context: () => serving.context(),
    state: () => {
      const { served, refused } = serving.state();
      return {
        missing: served.ok
          ? (bundles?.missing(serving.pair()) ?? [])
          : [`certificate: ${served.code}: ${served.detail}`],
        notes: [
          ...(refused === null ? [] : [`new certificate not taken up: ${refused.code}: ${refused.detail}`]),
          ...(bundles?.notes() ?? []),
        ],
        ends: served.ok ? { serving: served.notAfter } : {},
      };
    },
    stop: async () => {
      serving.stop();
      await bundles?.stop();
    },
  };
}

async function manage(
  { configuration: { tls, cluster } }: Settings,
  api: KubeApi,
  isLeader: () => boolean,
  logger: Logger,
  onContext: OnContext,
): Promise<Certificates> {
  const stopping = new AbortController();
  const intervalMs = tls.pollSeconds * 1000;
  const manager = new SelfManaged({
    api,
    secret: { namespace: cluster.namespace, name: tls.secret },
    service: tls.service,
    webhookConfiguration: tls.webhookConfiguration,
    readClientAuthority: await followClientAuthority(tls.clientCAFile, logger),
    isLeader,
    onContext,
    clock: systemClock,
    logger,
    intervalMs,
    lives: { authorityDays: tls.authorityDays, leafDays: tls.leafDays },
  });
  const polling = startPolling({
    name: 'certificates',
    intervalMs: () => (manager.hasOne() ? intervalMs : Math.min(FIRST_POLL_MS, intervalMs)),
    deadlineMs: PASS_MS,
    jitter: Math.random,
    clock: systemClock,
    signal: stopping.signal,
    run: (pass) => manager.pass(pass),
    observe: ({ error }) => {
      if (error !== null) logger.warn({ err: error }, 'certificates could not be looked after');
    },
  });
  return {
    first: manager.first,
    context: () => manager.context(),
    state: () => manager.state(),
    stop: async () => {
      stopping.abort();
      await polling.ended;
    },
  };
}

/** The file as it is when it is asked for; as it was where it cannot be read any more. */
async function followClientAuthority(
  file: string | undefined,
  logger: Logger,
): Promise<() => Promise<string | null>> {
  if (file === undefined) return async () => null;
  let last = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationError([`tls.clientCAFile: ${file} cannot be read (${error.code})`]);
  });
  return async () => {
    try {
      last = await readFile(file, 'utf8');
    } catch (error) {
      logger.warn({ err: error }, 'tls.clientCAFile cannot be read any more; the last one stays in force');
    }
    return last;
  };
}
