import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

export interface ServingFiles {
  /** The leaf, then the intermediates that it is served with. */
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  /** The authorities that clients trust; null where we do not know them. */
  readonly authorityPem: string | null;
  /** DNS names and IP addresses that clients will ask for. */
  readonly names: readonly string[];
}

export type InvalidityCode =
  | 'expired'
  | 'not-yet-valid'
  | 'key-mismatch'
  | 'wrong-authority'
  | 'wrong-name'
  | 'unreadable';

export type Validity =
  | {
      readonly ok: true;
      /** The end of whichever certificate ends first, from the leaf up to its authority. */
      readonly notAfter: Date;
      /** Two thirds through the life of whichever certificate gets there first. */
      readonly renewAt: Date;
    }
  | { readonly ok: false; readonly code: InvalidityCode; readonly detail: string };

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Whether clients that trust the authority will accept this certificate at `now`. The leaf and all above
 * it are looked at: a leaf that is fine under an authority that has expired is refused just the same.
 */
export function validity(files: ServingFiles & { readonly now: Date }): Validity {
  const { names, now } = files;
  let served: readonly X509Certificate[];
  let trusted: readonly X509Certificate[] | null;
  let privateKey: KeyObject;
  try {
    served = certificatesOf(files.certificatePem);
    trusted = files.authorityPem === null ? null : certificatesOf(files.authorityPem);
    privateKey = createPrivateKey(files.privateKeyPem);
  } catch {
    return invalid('unreadable', 'a certificate or key is no PEM that can be read');
  }
  const [leaf, ...intermediates] = served;
  if (leaf === undefined) return invalid('unreadable', 'there is no certificate');
  if (!leaf.checkPrivateKey(privateKey)) {
    return invalid('key-mismatch', 'the private key is not that of the certificate');
  }
  const chain = trusted === null ? served : chainOf(leaf, intermediates, trusted, now);
  if (chain === null) {
    return invalid(
      'wrong-authority',
      `the certificate ${labelOf(leaf)} was not issued by the authority given`,
    );
  }
  for (const certificate of chain) {
    if (now < certificate.validFromDate) {
      const from = certificate.validFromDate.toISOString();
      return invalid('not-yet-valid', `the certificate ${labelOf(certificate)} is not valid before ${from}`);
    }
    if (now > certificate.validToDate) {
      const end = certificate.validToDate.toISOString();
      return invalid('expired', `the certificate ${labelOf(certificate)} expired at ${end}`);
    }
  }
  const missing = names.find((name) => !isFor(leaf, name));
  if (missing !== undefined)
    return invalid('wrong-name', `the certificate is not for ${JSON.stringify(missing)}`);
  return {
    ok: true,
    notAfter: earliest(chain.map((certificate) => certificate.validToDate)),
    renewAt: earliest(chain.map(twoThirdsThrough)),
  };
}

/**
 * The certificates from the leaf up to one that is trusted; null where there is no such way.
 * The leaf may be trusted by itself, as a self-signed one is.
 */
function chainOf(
  leaf: X509Certificate,
  intermediates: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
  now: Date,
): readonly X509Certificate[] | null {
  const chain = [leaf];
  let top = leaf;
  while (!trusted.some((certificate) => isSame(certificate, top))) {
    const issuers = [...trusted, ...intermediates].filter(
      (issuer) => !chain.some((member) => isSame(member, issuer)) && isIssuedBy(top, issuer),
    );
    // While an authority is replaced, the bundle holds both its old and its new certificate.
    const issuer = issuers.find((candidate) => isInTime(candidate, now)) ?? issuers[0];
    if (issuer === undefined) return null;
    chain.push(issuer);
    top = issuer;
  }
  return chain;
}

/** The certificates of a PEM text, in its order. Throws where one cannot be read. */
function certificatesOf(pem: string): X509Certificate[] {
  return Array.from(pem.matchAll(PEM_CERTIFICATE), ([block]) => new X509Certificate(block));
}

function isSame(one: X509Certificate, other: X509Certificate): boolean {
  return one.fingerprint256 === other.fingerprint256;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isInTime(certificate: X509Certificate, now: Date): boolean {
  return certificate.validFromDate <= now && now <= certificate.validToDate;
}

function isFor(leaf: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return leaf.checkIP(name) !== undefined;
  // The API server does not look at the common name.
  return leaf.checkHost(name, { subject: 'never' }) !== undefined;
}

function twoThirdsThrough(certificate: X509Certificate): Date {
  const from = certificate.validFromDate.getTime();
  return new Date(from + Math.floor(((certificate.validToDate.getTime() - from) * 2) / 3));
}

function earliest(dates: readonly Date[]): Date {
  return new Date(Math.min(...dates.map((date) => date.getTime())));
}

/** A certificate's subject on one line, fit for a message. */
function labelOf(certificate: X509Certificate): string {
  return JSON.stringify((certificate.subject ?? '').replaceAll('\n', ', '));
}

function invalid(code: InvalidityCode, detail: string): Validity {
  return { ok: false, code, detail };
}
