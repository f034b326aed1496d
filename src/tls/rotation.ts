import { X509Certificate } from 'node:crypto';
import { BACKDATED_MS, type KeyPair } from './authority.ts';
import { validity } from './validity.ts';

/** All that is kept of our own certificates, as it lies in one Secret. Times are milliseconds since the epoch. */
export interface Keeping {
  /** Signs the leaf. */
  readonly authority: KeyPair;
  readonly leaf: KeyPair;
  readonly leafIssuedAt: number;
  /** Will sign the next leaf, once every webhook configuration trusts it. */
  readonly next: KeyPair | null;
  /** Signed a leaf that a replica may still serve; PEM. */
  readonly old: string | null;
}

/** What to do next; one step at a time, so that a leader that dies leaves nothing half done. */
export type RotationStep =
  /** Nothing usable is there: make an authority and a leaf. */
  | { readonly kind: 'create'; readonly because: string }
  /** The live webhook configurations lack some of the authorities. */
  | { readonly kind: 'publish'; readonly bundle: string }
  /** Make the authority that will follow. */
  | { readonly kind: 'make-next' }
  /** Every configuration trusts the next authority: let it sign, and keep trusting the one before. */
  | { readonly kind: 'switch' }
  /** Sign a new leaf with the same authority. */
  | { readonly kind: 'renew-leaf'; readonly because: string }
  /** No replica can serve a leaf of the old authority any more. */
  | { readonly kind: 'drop-old' }
  | { readonly kind: 'rest' };

export interface RotationFacts {
  readonly now: Date;
  /** What the API server calls us by. */
  readonly names: readonly string[];
  /** caBundle of each of our webhooks as it is live; PEM, empty where there is none. */
  readonly published: readonly string[];
  /** Milliseconds in which every replica has surely taken up a new leaf. */
  readonly settleMs: number;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

const blocksOf = (pem: string) => (pem.match(BLOCK) ?? []).map((block) => block.replaceAll('\r', ''));

/** Every authority that clients have to trust now: the one that signs, the one that will, the one that did. */
export function bundleOf({ authority, next, old }: Keeping): string {
  const parts = [authority.certificatePem, next?.certificatePem ?? '', old ?? ''].flatMap(blocksOf);
  return `${[...new Set(parts)].join('\n')}\n`;
}

/** Whether a configuration's caBundle is this bundle: no authority missing, and none that is not ours any more. */
function isPublished(bundle: string, live: string): boolean {
  return blocksOf(bundle).toSorted().join() === blocksOf(live).toSorted().join();
}

/** Two thirds through its life, by the wall clock. */
function isDue(pem: string, now: Date): boolean {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  const made = validFromDate.getTime() + BACKDATED_MS;
  const life = validToDate.getTime() - made;
  return now.getTime() >= made + (life * 2) / 3;
}

/**
 * The next step towards certificates that are good and stay so: publish an authority before anything is signed with it,
 * and trust it for as long as anything that it signed may be served. Never throws.
 */
export function nextStep(kept: Keeping | null, facts: RotationFacts): RotationStep {
  if (kept === null) return { kind: 'create', because: 'there are no certificates' };
  const { now, names, published, settleMs } = facts;
  const { authority, leaf, next, old, leafIssuedAt } = kept;
  const verdict = validity({ ...leaf, authorityPem: authority.certificatePem, names, now });
  if (!verdict.ok && ['unreadable', 'wrong-authority', 'key-mismatch'].includes(verdict.code))
    return { kind: 'create', because: verdict.detail };
  const signing = validity({ ...authority, authorityPem: authority.certificatePem, names: [], now });
  if (!signing.ok) return { kind: 'create', because: signing.detail };

  const bundle = bundleOf(kept);
  if (published.some((live) => !isPublished(bundle, live))) return { kind: 'publish', bundle };
  if (next !== null) return { kind: 'switch' };
  if (isDue(authority.certificatePem, now)) return { kind: 'make-next' };
  if (!verdict.ok) return { kind: 'renew-leaf', because: verdict.detail };
  if (isDue(leaf.certificatePem, now))
    return { kind: 'renew-leaf', because: 'two thirds of its life are over' };
  if (old !== null && now.getTime() >= leafIssuedAt + settleMs) return { kind: 'drop-old' };
  return { kind: 'rest' };
}
