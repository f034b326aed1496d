import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createHealth, type Readiness } from './admission/health.ts';
import { createMetrics, type Metrics } from './admission/metrics.ts';
import { ALLOWED, type Answer } from './admission/review.ts';
import { mutatingReviewer, type Observe, validatingReviewer } from './admission/reviewers.ts';
import { createWebhook } from './admission/webhook.ts';
import { followSettings, type LiveSettings } from './config/load.ts';
import type { Settings } from './config/settings.ts';
import { createLook, type LookAt } from './evaluate/look.ts';
import { lookOptionsOf } from './evaluate/look-options.ts';
import type { World } from './evaluate/world.ts';
import { type Knowing, startKnowing } from './server/knowing.ts';
import { resolveAll } from './source/resolve.ts';
import { openSource } from './source/sources.ts';
import { loadServing, type Serving } from './tls/serving.ts';

export interface ServerOptions {
  /** Undefined: the defaults. */
  readonly configFile: string | undefined;
  readonly version: string;
  /** Where log lines go. */
  readonly log: NodeJS.WritableStream;
}

export interface RunningServer {
  readonly port: number;
  readonly healthPort: number;
  /** Not ready from now on; answers for `lingerMs` more, then closes. */
  readonly stop: (lingerMs: number) => Promise<void>;
}

/** How often files are looked at for changes. */
const POLL_MS = 2000;

/** How images are looked at, made anew when the configuration changes: a cache must not outlive its rules. */
class Looks {
  #for: Settings | null = null;
  #look: LookAt | null = null;
  readonly #make: (settings: Settings) => LookAt;

  constructor(make: (settings: Settings) => LookAt) {
    this.#make = make;
  }

  under(settings: Settings): LookAt {
    if (this.#for !== settings || this.#look === null) {
      this.#look = this.#make(settings);
      this.#for = settings;
    }
    return this.#look;
  }
}

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
  return (outcomes) => {
    for (const outcome of outcomes) {
      if (outcome.kind !== 'finding') continue;
      const { policy, rule } = outcome.finding;
      metrics.findings.inc({ policy, rule, action: outcome.exemption === null ? outcome.action : 'exempt' });
    }
  };
}

function observeCertificate({ certificateExpiry }: Metrics, serving: Serving): void {
  const { served } = serving.state();
  if (served.ok) certificateExpiry.set({ certificate: 'serving' }, served.notAfter.getTime() / 1000);
}

/**
 * A file that changed for the worse is told and no more: every replica reads the same files, so if that made them
 * unready there would be no webhook at all, though each could go on with what it has.
 */
function readinessOf(live: LiveSettings, serving: Serving, knowing: Knowing): ReturnType<Readiness> {
  const { served, refused } = serving.state();
  const problem = live.problem();
  return {
    missing: [...(served.ok ? [] : [`certificate: ${served.code}: ${served.detail}`]), ...knowing.ready()],
    notes: [
      ...(refused === null ? [] : [`new certificate not taken up: ${refused.code}: ${refused.detail}`]),
      ...(problem === null ? [] : [`configuration not taken up: ${problem}`]),
    ],
  };
}

/** Wires everything together and listens. Throws ConfigurationError or ServingError where it cannot. */
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

  const looks = new Looks((settings) =>
    createLook(
      lookOptionsOf(settings, {
        open: openSource,
        resolve: resolveAll,
        now: Date.now,
        version: options.version,
        observe: (outcome, { bytesRead }) => {
          metrics.looks.inc({ outcome });
          metrics.lookBytes.inc(bytesRead);
        },
      }),
    ),
  );
  const knowing = await startKnowing(live.current, options.version, metrics, logger);
  const world = (): World => {
    const settings = live.current();
    const { storage, density, connectionLimit } = knowing.current();
    return {
      settings,
      storage: { ...storage, formula: settings.overheadFormula },
      density,
      connectionLimit,
      look: looks.under(settings),
      now: Date.now(),
    };
  };

  let isDraining = false;
  const serving = await loadServing({
    certificateFile: tls.certFile,
    privateKeyFile: tls.keyFile,
    authorityFile: null,
    clientAuthorityFile: tls.clientCAFile ?? null,
    names: [],
    pollMs: POLL_MS,
    now: () => new Date(),
    onContext: (context) => {
      logger.info('certificate changed');
      (webhook.server as unknown as { setSecureContext(context: object): void }).setSecureContext(context);
      observeCertificate(metrics, serving);
    },
  });
  const webhook = createWebhook({
    https: { ...serving.context(), requestCert: tls.clientCAFile !== undefined, rejectUnauthorized: true },
    validate: validatingReviewer(world, observer(metrics)),
    mutate: mutatingReviewer(world, observer(metrics)),
    onError: (name) => onError(live.current(), name),
    clientNames: tls.clientNames,
    metrics,
    logger,
    isDraining: () => isDraining,
  });
  const health = createHealth(
    metrics,
    () => (isDraining ? { missing: ['stopping'], notes: [] } : readinessOf(live, serving, knowing)),
    logger,
  );

  await webhook.listen({ host: listen.host, port: listen.port });
  await health.listen({ host: listen.host, port: listen.healthPort });
  observeCertificate(metrics, serving);

  return {
    port: (webhook.server.address() as AddressInfo).port,
    healthPort: (health.server.address() as AddressInfo).port,
    stop: async (lingerMs) => {
      isDraining = true;
      await new Promise((resolve) => setTimeout(resolve, lingerMs));
      live.stop();
      serving.stop();
      await knowing.stop();
      await webhook.close();
      await health.close();
    },
  };
}
