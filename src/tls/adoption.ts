import type { KeyPair } from './authority.ts';
import { type Validity, validity } from './validity.ts';

export interface AdoptionFacts {
  readonly now: Date;
  readonly names: readonly string[];
  /** caBundle of each of our webhooks as it is live; PEM. */
  readonly published: readonly string[];
}

/** What the API server will make of the leaf, by whichever of its bundles is first to refuse it. */
export function acceptance(leaf: KeyPair, { published, names, now }: AdoptionFacts): Validity {
  const judge = (authorityPem: string | null) => validity({ ...leaf, authorityPem, names, now });
  // Before there is a webhook nobody has to trust it.
  const verdicts = published.length === 0 ? [judge(null)] : published.map(judge);
  return verdicts.find(({ ok }) => !ok) ?? verdicts[0]!;
}

/**
 * When a replica takes up another leaf. It goes by what is live and not by what a leader meant to do, so that whatever
 * comes to lie in the Secret, a leaf that the API server accepts is never given up for one that it does not.
 */
export class Adoption {
  readonly #propagationMs: number;
  #acceptable: { readonly certificatePem: string; readonly since: number } | null = null;

  /** `propagationMs`: how long an API server may take to go by a caBundle that can be read already. */
  constructor(propagationMs: number) {
    this.#propagationMs = propagationMs;
  }

  /** Whether `found` is to be served from now on; asked at each look, for it needs to know since when that was so. */
  takesUp(served: KeyPair | null, found: KeyPair, facts: AdoptionFacts): boolean {
    if (served?.certificatePem === found.certificatePem || !isServable(found, facts.now)) return false;
    if (served === null || !acceptance(served, facts).ok) return true;
    if (!acceptance(found, facts).ok) {
      this.#acceptable = null;
      return false;
    }
    const now = facts.now.getTime();
    if (this.#acceptable?.certificatePem !== found.certificatePem)
      this.#acceptable = { certificatePem: found.certificatePem, since: now };
    return now >= this.#acceptable.since + this.#propagationMs;
  }
}

/** Whether TLS can be served with it at all. */
function isServable(pair: KeyPair, now: Date): boolean {
  const verdict = validity({ ...pair, authorityPem: null, names: [], now });
  return verdict.ok || (verdict.code !== 'unreadable' && verdict.code !== 'key-mismatch');
}
