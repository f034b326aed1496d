import { X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import type { KubeApi } from '../kube/api.ts';
import type { Clock, Pass } from '../kube/clock.ts';
import { KubeError, kubeErrorCode } from '../kube/failures.ts';
import { makeSecret, readSecret, type SecretName, type StoredSecret, writeSecret } from '../kube/secret.ts';
import { type LiveConfiguration, publishBundle, readConfigurations } from '../kube/webhook-configurations.ts';
import { Adoption, acceptance } from '../tls/adoption.ts';
import type { KeyPair, Randomness } from '../tls/authority.ts';
import { keepingOf, textsOf } from '../tls/keeping.ts';
import { type Keeping, nextStep, type RotationStep } from '../tls/rotation.ts';
import { type Lives, takeStep } from '../tls/take-step.ts';
import type { CertificatesState, OnContext } from './certificates.ts';
import { distrusts } from './trust.ts';

export interface SelfManagedOptions extends Randomness {
  readonly api: KubeApi;
  readonly secret: SecretName;
  /** Our Service, in the same namespace. */
  readonly service: string;
  /** The name of both our webhook configurations. */
  readonly webhookConfiguration: string;
  /** The authority of clients' certificates, PEM; null where none are asked for. Read at each pass. */
  readonly readClientAuthority: () => Promise<string | null>;
  readonly isLeader: () => boolean;
  readonly onContext: OnContext;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Between two passes. */
  readonly intervalMs: number;
  readonly lives: Lives;
}

/** What one look at the cluster found. */
interface Look {
  readonly configurations: readonly LiveConfiguration[];
  readonly stored: StoredSecret | null;
  readonly kept: Keeping | null;
}

const DAY_MS = 86_400_000;
/** Trust costs nothing; a replica that cannot read for so long has other troubles. */
const LONGEST_SETTLING_MS = 3_600_000;
/** A configuration that was read comes to the API servers in well under a second; we look at it this often in between. */
const PROPAGATION_INTERVALS = 2;
/** Of one pass; a rotation has three, and some may find that someone else was quicker. */
const MAX_STEPS = 8;

/** How the API server and people may call the Service. */
export function serviceNames(service: string, namespace: string): string[] {
  return ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`].map(
    (suffix) => `${service}${suffix}`,
  );
}

/**
 * Certificates that Plimsoll makes itself: every replica serves what lies in the Secret, the leader makes, renews and
 * publishes it. What keeps that right is not the lead but resourceVersions (two leaders do no harm), and that each
 * replica looks for itself at what is trusted.
 *
 * What the service account has to be granted, besides what client.ts names:
 * - in our own namespace `get` and `update` of the one Secret by name; `patch` and `create` of it by name too, where a
 *   Secret that was deleted is to be made anew;
 * - cluster-wide `get` and `patch` of validatingwebhookconfigurations and mutatingwebhookconfigurations
 *   (admissionregistration.k8s.io), by name.
 */
export class SelfManaged {
  /** Settles when there is something to serve. */
  readonly first: Promise<void>;
  #announce = () => {};
  readonly #options: SelfManagedOptions;
  readonly #names: readonly string[];
  readonly #adoption: Adoption;
  #served: KeyPair | null = null;
  #clientAuthority: string | null = null;
  #seen: Look | null = null;
  #problem: string | null = null;

  constructor(options: SelfManagedOptions) {
    this.#options = options;
    this.#names = serviceNames(options.service, options.secret.namespace);
    this.first = new Promise((resolve) => {
      this.#announce = resolve;
    });
    this.#adoption = new Adoption(PROPAGATION_INTERVALS * options.intervalMs);
  }

  context(): SecureContextOptions {
    return {
      cert: this.#served?.certificatePem,
      key: this.#served?.privateKeyPem,
      ...(this.#clientAuthority === null ? {} : { ca: this.#clientAuthority }),
    };
  }

  state(): CertificatesState {
    const authority = this.#seen?.kept?.authority;
    return {
      missing: this.#lacks(),
      notes: this.#problem === null ? [] : [`certificates: ${this.#problem}`],
      ends: {
        ...(this.#served && { serving: endOf(this.#served) }),
        ...(authority && { authority: endOf(authority) }),
      },
    };
  }

  hasOne(): boolean {
    return this.#served !== null;
  }

  /** Looks at the cluster, as a leader does what is to be done, and takes up what is to be served. Throws KubeError. */
  async pass(pass: Pass): Promise<void> {
    try {
      this.#seen = await this.#look(pass);
      try {
        await this.#lead(pass);
      } finally {
        // What cannot be written is no reason not to serve what could be read.
        await this.#follow();
      }
      this.#problem = null;
    } catch (error) {
      this.#problem = error instanceof KubeError ? error.message : 'an error of our own';
      throw error;
    }
  }

  /** Configurations first: so nobody takes back, by the older of two readings, what another has published since. */
  async #look(pass: Pass): Promise<Look> {
    const { api, webhookConfiguration, secret } = this.#options;
    const configurations = await readConfigurations(api, webhookConfiguration, pass);
    const stored = await readSecret(api, secret, pass);
    return { configurations, stored, kept: stored === null ? null : keepingOf(stored.texts) };
  }

  async #lead(pass: Pass): Promise<void> {
    for (let taken = 0; taken < MAX_STEPS && this.#options.isLeader(); taken++) {
      const look = this.#seen!;
      const step = nextStep(look.kept, { ...this.#facts(look), settleMs: this.#settleMs() });
      if (step.kind === 'rest') return;
      try {
        await this.#take(step, look, pass);
      } catch (error) {
        // Someone else was quicker: what is to be done now may be something else.
        if (kubeErrorCode(error) !== 'conflict') throw error;
      }
      this.#seen = await this.#look(pass);
    }
  }

  async #take(step: RotationStep, { configurations, stored, kept }: Look, pass: Pass): Promise<void> {
    const { api, secret, logger, clock, lives, randomBytes, makeKeys } = this.#options;
    logger.info({ step: step.kind, because: 'because' in step ? step.because : undefined }, 'certificates');
    if (stored === null) return makeSecret(api, secret, pass);
    if (step.kind === 'publish') return publishBundle(api, configurations, step.bundle, pass);
    const made = await takeStep(kept, step, {
      now: new Date(clock.now()),
      names: this.#names,
      lives,
      ...(randomBytes && { randomBytes }),
      ...(makeKeys && { makeKeys }),
    });
    if (made !== null) await writeSecret(api, secret, stored, textsOf(made), pass);
  }

  async #follow(): Promise<void> {
    const look = this.#seen!;
    const { onContext, readClientAuthority } = this.#options;
    const clientAuthority = await readClientAuthority();
    const served =
      look.kept !== null && this.#adoption.takesUp(this.#served, look.kept.leaf, this.#facts(look))
        ? look.kept.leaf
        : this.#served;
    if (served === null || (served === this.#served && clientAuthority === this.#clientAuthority)) return;
    const isFirst = this.#served === null;
    this.#served = served;
    this.#clientAuthority = clientAuthority;
    if (isFirst) this.#announce();
    else onContext(this.context());
  }

  #facts({ configurations }: Look) {
    const published = configurations.flatMap(({ webhooks }) => webhooks.map(({ caBundle }) => caBundle));
    return { now: new Date(this.#options.clock.now()), names: this.#names, published };
  }

  /** An hour, or what fits well into the third of a life in which there has to be time for everything. */
  #settleMs(): number {
    const { authorityDays, leafDays } = this.#options.lives;
    return Math.min(LONGEST_SETTLING_MS, (Math.min(authorityDays, leafDays) * DAY_MS) / 4);
  }

  #lacks(): string[] {
    const served = this.#served;
    const look = this.#seen;
    if (served === null || look === null) {
      const { namespace, name } = this.#options.secret;
      const reason =
        look === null ? (this.#problem ?? 'not read yet') : 'there is none yet; the leader will make one';
      return [`certificate: Secret ${namespace}/${name}: ${reason}`];
    }
    const facts = { ...this.#facts(look), published: [] };
    const verdict = acceptance(served, facts);
    if (!verdict.ok) return [`certificate: ${verdict.code}: ${verdict.detail}`];
    return distrusts(served, look.configurations, facts);
  }
}

const endOf = ({ certificatePem }: KeyPair) => new X509Certificate(certificatePem).validToDate;
