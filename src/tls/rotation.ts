import { X509Certificate } from 'node:crypto';
import { BACKDATED_MS, canSign, type KeyPair } from './authority.ts';
import { validity } from './validity.ts';

/** All that is kept of our own certificates, as it lies in one Secret. */
export interface Keeping {
  /** Signs the leaf. */
  readonly authority: KeyPair;
  readonly leaf: KeyPair;
  /** Will sign the next leaf, once every webhook configuration trusts it. */
  readonly next: KeyPair | null;
  /** Authorities whose leaves a replica may still serve; PEM. */
  readonly old: string | null;
}

/** What to do next; one step at a time, so that a leader that dies leaves nothing half done. */
export type RotationStep =
  /** Nothing usable is kept: make an authority and a leaf, and trust for a while what was trusted until now. */
  | { readonly kind: 'create'; readonly because: string; readonly old: string | null }
  /** Sign a new leaf with the same authority. */
  | { readonly kind: 'renew-leaf'; readonly because: string }
  /** The live webhook configurations do not hold this bundle. */
  | { readonly kind: 'publish'; readonly bundle: string }
  /** No replica can serve a leaf of the old authorities any more. */
  | { readonly kind: 'drop-old' }
  /** Make the authority that will follow. */
  | { readonly kind: 'make-next' }
  /** Every configuration trusts the next authority: let it sign, and keep trusting the one before. */
  | { readonly kind: 'switch' }
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

/** Every authority that clients have to trust now, in an order that no step changes: the one that signs, will, or did. */
export function bundleOf({ authority, next, old }: Keeping): string {
  const parts = [authority.certificatePem, next?.certificatePem ?? '', old ?? ''].flatMap(blocksOf);
  return `${[...new Set(parts)].toSorted().join('\n')}\n`;
}

/**
 * The next step towards certificates that are good and stay so: publish an authority before anything is signed with it,
 * and trust it for as long as anything that it signed may be served. Never throws.
 */
export function nextStep(kept: Keeping | null, facts: RotationFacts): RotationStep {
  const { now, names, published, settleMs } = facts;
  const flaw = flawOf(kept, now);
  if (kept === null || flaw !== null)
    return { kind: 'create', because: flaw ?? '', old: livingAuthorities(published, now) };
  const { authority, leaf, next, old } = kept;

  // Before anything that can fail for long: who may not publish can still renew.
  const verdict = validity({ ...leaf, authorityPem: authority.certificatePem, names, now });
  if (!verdict.ok) return { kind: 'renew-leaf', because: verdict.detail };
  if (isDue(leaf, now) && endOf(leaf) < endOf(authority))
    return { kind: 'renew-leaf', because: 'two thirds of its life are over' };

  const bundle = bundleOf(kept);
  if (published.some((live) => !isPublished(bundle, live))) return { kind: 'publish', bundle };
  // One rotation after the other, or an authority would be forgotten while it is needed.
  if (old !== null)
    return now.getTime() >= issuedAt(leaf) + settleMs ? { kind: 'drop-old' } : { kind: 'rest' };
  if (next !== null) return { kind: isGoodAuthority(next, now) ? 'switch' : 'make-next' };
  return { kind: isDue(authority, now) ? 'make-next' : 'rest' };
}

/** Why nothing can be built upon what is kept; null where it can. */
function flawOf(kept: Keeping | null, now: Date): string | null {
  if (kept === null) return 'there are no certificates';
  const { authority, leaf } = kept;
  if (!isGoodAuthority(authority, now)) return 'the authority has expired or cannot sign';
  const verdict = validity({ ...leaf, authorityPem: authority.certificatePem, names: [], now });
  const isBroken = !verdict.ok && verdict.code !== 'expired' && verdict.code !== 'not-yet-valid';
  return isBroken ? verdict.detail : null;
}

function isGoodAuthority(pair: KeyPair, now: Date): boolean {
  return canSign(pair) && validity({ ...pair, authorityPem: null, names: [], now }).ok;
}

/** Whether a configuration's caBundle is this bundle: no authority missing, and none that is not ours any more. */
function isPublished(bundle: string, live: string): boolean {
  return blocksOf(bundle).toSorted().join() === blocksOf(live).toSorted().join();
}

/** The authorities of these bundles that clients can make use of; null where there are none. */
function livingAuthorities(bundles: readonly string[], now: Date): string | null {
  const living = new Set(bundles.flatMap(blocksOf).filter((block) => isLivingAuthority(block, now)));
  return living.size === 0 ? null : [...living].toSorted().join('\n');
}

function isLivingAuthority(pem: string, now: Date): boolean {
  try {
    const { ca, validToDate } = new X509Certificate(pem);
    return ca && now <= validToDate;
  } catch {
    return false;
  }
}

const endOf = ({ certificatePem }: KeyPair) => new X509Certificate(certificatePem).validToDate.getTime();
const issuedAt = ({ certificatePem }: KeyPair) =>
  new X509Certificate(certificatePem).validFromDate.getTime() + BACKDATED_MS;

/** Two thirds through its life, by the wall clock. */
function isDue(pair: KeyPair, now: Date): boolean {
  const made = issuedAt(pair);
  return now.getTime() >= made + ((endOf(pair) - made) * 2) / 3;
}
