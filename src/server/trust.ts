import type { LiveConfiguration } from '../kube/webhook-configurations.ts';
import { type AdoptionFacts, acceptance } from '../tls/adoption.ts';
import type { KeyPair } from '../tls/authority.ts';

/** Our webhooks for which the API server will not accept this leaf, in words; empty where it will for all. */
export function distrusts(
  leaf: KeyPair,
  configurations: readonly LiveConfiguration[],
  facts: Omit<AdoptionFacts, 'published'>,
): string[] {
  return configurations.flatMap(({ kind, name, webhooks }) =>
    webhooks
      .filter(({ caBundle }) => !acceptance(leaf, { ...facts, published: [caBundle] }).ok)
      .map(
        (webhook) =>
          `certificate: ${kind} ${name}: the caBundle of ${webhook.name} does not vouch for the one in use`,
      ),
  );
}
