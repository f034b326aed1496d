import type { SecureContextOptions } from 'node:tls';
import { pino } from 'pino';
import type { KubeApi } from '../../../src/kube/api.ts';
import { SelfManaged, type SelfManagedOptions } from '../../../src/server/self-managed.ts';
import type { FakeClock } from '../kube/fake-api.ts';
import { keyPool } from '../tls/key-pool.ts';

export const INTERVAL_MS = 5000;
/** Many more than are trusted at once. */
const makeKeys = keyPool(40);

export interface Replica {
  readonly manager: SelfManaged;
  readonly contexts: SecureContextOptions[];
  /** The certificate in use; PEM. */
  readonly served: () => string | null;
  readonly pass: () => Promise<void>;
}

/** One process of ours. */
export function replica(api: KubeApi, clock: FakeClock, over: Partial<SelfManagedOptions> = {}): Replica {
  const contexts: SecureContextOptions[] = [];
  const manager = new SelfManaged({
    api,
    secret: { namespace: 'ours', name: 'plimsoll-tls' },
    service: 'plimsoll',
    webhookConfiguration: 'plimsoll',
    readClientAuthority: async () => null,
    isLeader: () => true,
    onContext: (context) => contexts.push(context),
    clock,
    logger: pino({ level: 'silent' }),
    intervalMs: INTERVAL_MS,
    lives: { authorityDays: 365, leafDays: 90 },
    makeKeys,
    ...over,
  });
  return {
    manager,
    contexts,
    served: () => {
      const { cert } = manager.context();
      return typeof cert === 'string' ? cert : null;
    },
    pass: () => manager.pass(clock.pass()),
  };
}
