import type { Logger } from 'pino';
import type { KubeApi } from '../kube/api.ts';
import type { Clock } from '../kube/clock.ts';
import { KubeError } from '../kube/failures.ts';
import { startPolling } from '../kube/poll.ts';
import { type LiveConfiguration, readConfigurations } from '../kube/webhook-configurations.ts';
import type { KeyPair } from '../tls/authority.ts';
import { distrusts } from './trust.ts';

/** Whether the API server trusts a certificate that others make and publish. */
export interface LiveBundles {
  /** What keeps the API server from accepting this leaf, in words. */
  readonly missing: (leaf: KeyPair) => readonly string[];
  /** Why what is known may be old. */
  readonly notes: () => readonly string[];
  readonly stop: () => Promise<void>;
}

export interface LiveBundlesOptions {
  readonly api: KubeApi;
  /** The name of both our webhook configurations. */
  readonly name: string;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Two small reads. */
const PASS_MS = 10_000;

/** Follows both our webhook configurations by polling. The last that was read holds while the API server does not answer. */
export function followBundles({ api, name, intervalMs, clock, logger }: LiveBundlesOptions): LiveBundles {
  const stopping = new AbortController();
  let seen: readonly LiveConfiguration[] | null = null;
  let problem: string | null = null;
  const polling = startPolling({
    name: 'webhook configurations',
    intervalMs: () => intervalMs,
    deadlineMs: PASS_MS,
    jitter: Math.random,
    clock,
    signal: stopping.signal,
    run: async (pass) => {
      seen = await readConfigurations(api, name, pass);
    },
    observe: ({ error }) => {
      problem = error === null ? null : wordsOf(error);
      if (error !== null) logger.warn({ err: error }, 'the webhook configurations could not be read');
    },
  });
  return {
    missing: (leaf) =>
      seen === null
        ? [`certificate: webhook configurations ${name}: ${problem ?? 'not read yet'}`]
        : distrusts(leaf, seen, { now: new Date(clock.now()), names: [] }),
    notes: () =>
      seen === null || problem === null ? [] : [`certificate: webhook configurations ${name}: ${problem}`],
    stop: async () => {
      stopping.abort();
      await polling.ended;
    },
  };
}

const wordsOf = (error: Error) => (error instanceof KubeError ? error.message : 'an error of our own');
