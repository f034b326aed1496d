import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createHealth, type Readiness } from './admission/health.ts';
import { createMetrics, type Metrics } from './admission/metrics.ts';
import { ALLOWED, type Answer } from './admission/review.ts';
import { mutatingReviewer, type Observe, validatingReviewer } from './admission/reviewers.ts';
import { createWebhook } from './admission/webhook.ts';
import { followSettings, type LiveSettings } from './config/load.ts';
import type { Settings } from './config/settings.ts';
import type { World } from './evaluate/world.ts';
import type { Certificates } from './server/certificates.ts';
import { type Knowing, startKnowing } from './server/knowing.ts';
import { Looks } from './server/looks.ts';
import { startReconciling } from './server/reconcile.ts';
import { startCertificates } from './server/start-certificates.ts';

export interface ServerOptions {
  /** Undefined: the defaults. */
  readonly configFile: string | undefined;
  readonly version: string;
  /** Where log lines go. */
  readonly log: NodeJS.WritableStream;
  /** Ends the start, which may wait for certificates. */
  readonly signal?: AbortSignal;
}

export interface RunningServer {
  readonly port: number;
  readonly healthPort: number;
  /** Not ready from now on; answers for `lingerMs` more, then closes. */
  readonly stop: (lingerMs: number) => Promise<void>;
}

/** How often the configuration is looked at for changes. */
const POLL_MS = 2000;

/** What an error of our own does to an object: as an image that can't be looked at, it denies only where that is asked for. */
function onError(settings: Settings, webhook: string): Answer {
  const message =
    'Plimsoll could not judge this object because of an error of its own; its log has the details';
  const denies = webhook === 'validate' && settings.decisions.actions['unknown-image'] === 'deny';
  return denies
    ? { ...ALLOWED, allowed: false, denial: { code: 500, message } }
    : { ...ALLOWED, warnings: [message] };
}

function observer(metrics: Metrics): Observe {
  return (outcomes, contended) => {
    for (const target of contended) metrics.contendedWrites.inc({ target });
    for (const outcome of outcomes) {
      if (outcome.kind !== 'finding') continue;
      const { policy, rule } = outcome.finding;
      metrics.findings.inc({ policy, rule, action: outcome.exemption === null ? outcome.action : 'exempt' });
    }
  };
}

/** Taken when the metrics are asked for: a certificate ends, and a caBundle changes, without an event. */
function observeCertificates(metrics: Metrics, certificates: Certificates): void {
  metrics.onCollect(() => {
    const { ends, missing } = certificates.state();
    for (const [certificate, end] of Object.entries(ends))
      metrics.certificateExpiry.set({ certificate }, end.getTime() / 1000);
    metrics.certificateAccepted.set(missing.length === 0 ? 1 : 0);
  });
}

/**
 * A file that changed for the worse is told and no more: every replica reads the same files, so if that made them
 * unready there would be no webhook at all, though each could go on with what it has.
 */
function readinessOf(
  live: LiveSettings,
  certificates: Certificates | null,
  knowing: Knowing,
): ReturnType<Readiness> {
  const { missing, notes } = certificates?.state() ?? { missing: ['certificate: none yet'], notes: [] };
  const problem = live.problem();
  return {
    missing: [...missing, ...knowing.ready()],
    notes: [...notes, ...(problem === null ? [] : [`configuration not taken up: ${problem}`])],
  };
}

/** Rejects with the signal's reason where it aborts first. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  await Promise.race([promise, aborted]);
}

/**
 * Wires everything together and listens. Throws ConfigurationError, ServingError or KubeError where it cannot, and the
 * reason of `signal` where that aborts before.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const metrics = createMetrics();
  let setLevel = (_level: string) => {};
  const live = await followSettings(options.configFile, POLL_MS, (settings, problem) => {
    metrics.configurationValid.set(problem === null ? 1 : 0);
    setLevel(settings.configuration.log.level);
    if (problem === null) logger.info('configuration changed');
    else logger.error({ problem }, 'configuration is broken; the last good one stays in force');
  });
  const { listen, tls, log } = live.current().configuration;
  const logger = pino({ level: log.level, base: null }, options.log);
  setLevel = (level) => {
    logger.level = level;
  };
  metrics.configurationValid.set(1);

  /** Ended in the reverse order of their start, also where the start itself fails on the way. */
  const ends: (() => unknown)[] = [live.stop];
  const end = async () => {
    for (const stop of ends.toReversed()) await stop();
  };
  let isDraining = false;
  let certificates: Certificates | null = null;
  try {
    const knowing = await startKnowing(live.current, options.version, metrics, logger);
    ends.push(knowing.stop);
    // Health first: certificates may have to be waited for, and whoever waits has to be told why.
    const health = createHealth(
      metrics,
      () => (isDraining ? { missing: ['stopping'], notes: [] } : readinessOf(live, certificates, knowing)),
      logger,
    );
    await health.listen({ host: listen.host, port: listen.healthPort });
    ends.push(() => health.close());

    const { api } = knowing.connection ?? { api: null };
    certificates = await startCertificates(live.current(), api, knowing.isLeader, logger, (context) => {
      logger.info('certificate changed');
      (webhook.server as HttpsServer).setSecureContext(context);
    });
    ends.push(certificates.stop);
    observeCertificates(metrics, certificates);
    await unlessAborted(certificates.first, options.signal);
    const world = worldOver(live, knowing, new Looks(options.version, metrics));
    const webhook = createWebhook({
      https: {
        ...certificates.context(),
        requestCert: tls.clientCAFile !== undefined,
        rejectUnauthorized: true,
      },
      validate: validatingReviewer(world, observer(metrics)),
      mutate: mutatingReviewer(world, observer(metrics)),
      onError: (name) => onError(live.current(), name),
      clientNames: tls.clientNames,
      metrics,
      logger,
      isDraining: () => isDraining,
    });
    await webhook.listen({ host: listen.host, port: listen.port });
    ends.push(() => webhook.close());
    if (api !== null) {
      const { isLeader } = knowing;
      const intervalMs = live.current().configuration.cluster.pollSeconds * 1000;
      ends.push(startReconciling({ api, world, isLeader, intervalMs, metrics, logger }).stop);
    }

    return {
      port: (webhook.server.address() as AddressInfo).port,
      healthPort: (health.server.address() as AddressInfo).port,
      stop: async (lingerMs) => {
        isDraining = true;
        await new Promise((resolve) => setTimeout(resolve, lingerMs));
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Taken anew for every review, so that each is judged by one state of everything. */
function worldOver(live: LiveSettings, knowing: Knowing, looks: Looks): () => World {
  return () => {
    const settings = live.current();
    const { storage, ...known } = knowing.current();
    return {
      settings,
      storage: { ...storage, formula: settings.overheadFormula },
      ...known,
      look: looks.under(settings),
      now: Date.now(),
    };
  };
}
