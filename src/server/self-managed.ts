import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import type { KubeApi } from '../kube/api.ts';
import { type Pass, systemClock } from '../kube/clock.ts';
import { startPolling } from '../kube/poll.ts';
import { readSecret, type StoredSecret, writeSecret } from '../kube/secret.ts';
import { publishBundle, readWebhooks } from '../kube/webhook-configurations.ts';
import { keepingOf, textsOf } from '../tls/keeping.ts';
import { type Keeping, nextStep, type RotationFacts } from '../tls/rotation.ts';
import type { Serving, ServingState } from '../tls/serving.ts';
import { type Lives, takeStep } from '../tls/take-step.ts';
import { validity } from '../tls/validity.ts';

export interface SelfManagedOptions {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly secret: string;
  readonly service: string;
  readonly webhookConfiguration: string;
  readonly clientAuthorityPem: string | null;
  readonly isLeader: () => boolean;
  readonly onContext: (context: SecureContextOptions) => void;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly lives: Lives;
}

/** How the API server and people may call the Service. */
export function serviceNames(service: string, namespace: string): string[] {
  return ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`].map(
    (suffix) => `${service}${suffix}`,
  );
}

/** A replica has taken up a new leaf after this many intervals, even if some of its readings failed. */
const SETTLE_INTERVALS = 12;
/** Of one pass; a rotation has five. */
const MAX_STEPS = 8;

/**
 * Certificates that Plimsoll makes itself: every replica serves what lies in the Secret, the leader alone makes, renews
 * and publishes it. Resolves when there is something to serve.
 */
export async function startSelfManaged(options: SelfManagedOptions): Promise<Serving> {
  const { api, namespace, secret, webhookConfiguration, logger, intervalMs, clientAuthorityPem, lives } =
    options;
  const names = serviceNames(options.service, namespace);
  const stopping = new AbortController();
  let inUse: Keeping | null = null;
  let published: readonly string[] = [];
  let announce = () => {};
  const first = new Promise<void>((resolve) => {
    announce = resolve;
  });

  const contextOf = ({ leaf }: Keeping): SecureContextOptions => ({
    cert: leaf.certificatePem,
    key: leaf.privateKeyPem,
    ...(clientAuthorityPem === null ? {} : { ca: clientAuthorityPem }),
  });
  const adopt = (kept: Keeping) => {
    if (inUse?.leaf.certificatePem === kept.leaf.certificatePem) {
      inUse = kept;
      return;
    }
    const isFirst = inUse === null;
    inUse = kept;
    if (isFirst) announce();
    else options.onContext(contextOf(kept));
  };

  const read = async (pass: Pass): Promise<{ stored: StoredSecret | null; kept: Keeping | null }> => {
    const stored = await readSecret(api, namespace, secret, pass);
    return { stored, kept: stored === null ? null : keepingOf(stored.texts) };
  };

  const lead = async (pass: Pass): Promise<void> => {
    for (let taken = 0; taken < MAX_STEPS && options.isLeader(); taken++) {
      const { stored, kept } = await read(pass);
      const live = await readWebhooks(api, webhookConfiguration, pass);
      const facts: RotationFacts = {
        now: new Date(),
        names,
        published: live.map(({ caBundle }) => caBundle),
        settleMs: SETTLE_INTERVALS * intervalMs,
      };
      const step = nextStep(kept, facts);
      if (step.kind === 'rest') return;
      logger.info({ step: step.kind, because: 'because' in step ? step.because : undefined }, 'certificates');
      if (step.kind === 'publish') await publishBundle(api, webhookConfiguration, live, step.bundle, pass);
      const made = await takeStep(kept, step, { now: facts.now, names, lives });
      if (made !== null) await writeSecret(api, namespace, secret, stored, textsOf(made), pass);
    }
  };

  const polling = startPolling({
    name: 'certificates',
    intervalMs: () => intervalMs,
    deadlineMs: 4 * intervalMs,
    jitter: Math.random,
    clock: systemClock,
    signal: stopping.signal,
    run: async (pass) => {
      if (options.isLeader()) await lead(pass);
      const { kept } = await read(pass);
      published = (await readWebhooks(api, webhookConfiguration, pass)).map(({ caBundle }) => caBundle);
      if (kept !== null) adopt(kept);
    },
    observe: ({ error }) => {
      if (error !== null) logger.warn({ err: error }, 'certificates could not be looked after');
    },
  });

  const state = (): ServingState => {
    if (inUse === null)
      return { served: { ok: false, code: 'unreadable', detail: 'there is none yet' }, refused: null };
    const { leaf } = inUse;
    // The API server has to trust it by every configuration that names us; before there is one, by our own bundle.
    const trusts = published.length > 0 ? published : [inUse.authority.certificatePem];
    const verdicts = trusts.map((authorityPem) =>
      validity({ ...leaf, authorityPem, names, now: new Date() }),
    );
    return { served: verdicts.find(({ ok }) => !ok) ?? verdicts[0]!, refused: null };
  };

  await Promise.race([first, polling.ended]);
  return {
    context: () => (inUse === null ? {} : contextOf(inUse)),
    state,
    reload: async () => {},
    stop: () => stopping.abort(),
  };
}
