import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import forge from 'node-forge';

/** A certificate and its private key (PKCS #8), both PEM. */
export interface KeyPair {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** That many cryptographically random bytes. */
export type RandomBytes = (size: number) => Uint8Array;

/** A new pair of RSA keys: SPKI and PKCS #8, both PEM. */
export interface Keys {
  readonly publicKeyPem: string;
  readonly privateKeyPem: string;
}

/** Where serial numbers and keys come from; absent: from node:crypto. */
export interface Randomness {
  readonly randomBytes?: RandomBytes;
  readonly makeKeys?: () => Promise<Keys>;
}

export interface Lifetime extends Randomness {
  readonly now: Date;
  /** Counted from `now`; a leaf never outlives the authority that signs it. */
  readonly validForDays: number;
}

export interface AuthorityRequest extends Lifetime {
  readonly commonName: string;
}

export interface ServingRequest extends Lifetime {
  /** DNS names and IP addresses; at least one. */
  readonly names: readonly string[];
}

export interface ClientRequest extends Lifetime {
  /** The user, as the API server reads it. */
  readonly commonName: string;
  /** The user's groups, as the API server reads them. */
  readonly organizations: readonly string[];
}

export type AuthorityErrorCode = 'bad-name' | 'no-names' | 'not-an-authority';

/** A certificate that was not issued; `code` says why. */
export class AuthorityError extends Error {
  readonly code: AuthorityErrorCode;

  constructor(code: AuthorityErrorCode, message: string) {
    super(message);
    this.name = 'AuthorityError';
    this.code = code;
  }
}

const HOUR_MS = 3_600_000;
/** Certificates are valid from this long before they are made: clocks differ. */
export const BACKDATED_MS = HOUR_MS;
const DAY_MS = 24 * HOUR_MS;
// node-forge signs with RSA only.
const RSA_BITS = 2048;
// Letters, digits, hyphens and underscores, with an optional leftmost wildcard.
const DNS_NAME = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;
// subjectAltName choices (RFC 5280, 4.2.1.6).
const SAN_DNS_NAME = 2;
const SAN_IP_ADDRESS = 7;

type Attribute = forge.pki.CertificateField;
type Extension = Readonly<Record<string, unknown>>;

/** A new self-signed certificate authority; it may sign leaves, and no further authorities. */
export async function issueAuthority(request: AuthorityRequest): Promise<KeyPair> {
  const keys = await keysFor(request);
  const subject = [attribute('commonName', request.commonName)];
  return issue(request, {
    keys,
    subject,
    issuer: { subject, ...keys, notAfter: null },
    extensions: [
      { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
      { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    ],
  });
}

/**
 * A certificate for a TLS server, signed by an authority of `issueAuthority`.
 * Throws AuthorityError: `no-names`, `bad-name`, `not-an-authority`.
 */
export async function issueServing(authority: KeyPair, request: ServingRequest): Promise<KeyPair> {
  if (request.names.length === 0)
    throw new AuthorityError('no-names', 'a serving certificate needs at least one name');
  const altNames = request.names.map(alternativeName);
  return issue(request, {
    keys: await keysFor(request),
    // Clients match the alternative names only (RFC 9525); the common name is for people,
    // and its 64 characters are too few for <service>.<namespace>.svc.
    subject: [attribute('commonName', 'plimsoll serving')],
    issuer: issuerOf(authority),
    extensions: [
      { name: 'basicConstraints', critical: true, cA: false },
      { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ],
  });
}

/**
 * A certificate that a client shows, such as a user of the API server.
 * Throws AuthorityError: `not-an-authority`.
 */
export async function issueClient(authority: KeyPair, request: ClientRequest): Promise<KeyPair> {
  return issue(request, {
    keys: await keysFor(request),
    subject: [
      ...request.organizations.map((organization) => attribute('organizationName', organization)),
      attribute('commonName', request.commonName),
    ],
    issuer: issuerOf(authority),
    extensions: [
      { name: 'basicConstraints', critical: true, cA: false },
      { name: 'keyUsage', critical: true, digitalSignature: true },
      { name: 'extKeyUsage', clientAuth: true },
    ],
  });
}

/** Whether leaves can be issued by it, be it that it has expired. */
export function canSign(pair: KeyPair): boolean {
  try {
    issuerOf(pair);
    return true;
  } catch {
    return false;
  }
}

interface Issuer extends Keys {
  readonly subject: readonly Attribute[];
  /** null for an authority that signs itself. */
  readonly notAfter: Date | null;
}

interface Draft {
  readonly keys: Keys;
  readonly subject: readonly Attribute[];
  readonly issuer: Issuer;
  readonly extensions: readonly Extension[];
}

function issue(lifetime: Lifetime, draft: Draft): KeyPair {
  const notAfter = new Date(lifetime.now.getTime() + lifetime.validForDays * DAY_MS);
  const limit = draft.issuer.notAfter;
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(draft.keys.publicKeyPem);
  certificate.serialNumber = serialNumber(lifetime.randomBytes ?? randomBytes);
  // An hour back, for clocks that run behind ours.
  certificate.validity.notBefore = new Date(lifetime.now.getTime() - BACKDATED_MS);
  certificate.validity.notAfter = limit !== null && limit < notAfter ? limit : notAfter;
  certificate.setSubject([...draft.subject]);
  certificate.setIssuer([...draft.issuer.subject]);
  certificate.setExtensions([
    ...draft.extensions,
    { name: 'subjectKeyIdentifier' },
    { name: 'authorityKeyIdentifier', keyIdentifier: keyIdentifier(draft.issuer.publicKeyPem) },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(draft.issuer.privateKeyPem), forge.md.sha256.create());
  return {
    certificatePem: forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n'),
    privateKeyPem: draft.keys.privateKeyPem,
  };
}

const keysFor = ({ makeKeys = rsaKeys }: Randomness) => makeKeys();

// node:crypto, because node-forge would make the key on the event loop, for up to seconds.
async function rsaKeys(): Promise<Keys> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKeyPem: publicKey, privateKeyPem: privateKey };
}

/** What a leaf needs of its authority. node:crypto reads the certificate: node-forge's parsers are not trusted. */
function issuerOf(authority: KeyPair): Issuer {
  try {
    const certificate = new X509Certificate(authority.certificatePem);
    const privateKey = createPrivateKey(authority.privateKeyPem);
    const commonName = commonNameOf(certificate);
    if (certificate.ca && commonName !== undefined && certificate.checkPrivateKey(privateKey)) {
      return {
        subject: [attribute('commonName', commonName)],
        publicKeyPem: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
        privateKeyPem: authority.privateKeyPem,
        notAfter: certificate.validToDate,
      };
    }
  } catch {
    // Unreadable text ends in the same answer as a pair that cannot sign.
  }
  throw new AuthorityError('not-an-authority', 'the certificate and key are no authority that was made here');
}

/** The common name, where it is all of the subject: issuer and subject must agree to the byte. */
function commonNameOf(certificate: X509Certificate): string | undefined {
  const subject: Readonly<Record<string, unknown>> = { ...certificate.toLegacyObject().subject };
  const { CN: commonName, ...others } = subject;
  return typeof commonName === 'string' && Object.keys(others).length === 0 ? commonName : undefined;
}

/** 128 bits, as hexadecimal digits: positive, and without a leading zero byte, as DER wants it. */
function serialNumber(random: RandomBytes): string {
  const bytes = Buffer.from(random(16));
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.toString('hex');
}

/** RFC 5280, 4.2.1.2, method 1; the same that node-forge writes as the subject's. */
function keyIdentifier(publicKeyPem: string): string {
  return forge.pki
    .getPublicKeyFingerprint(forge.pki.publicKeyFromPem(publicKeyPem), { type: 'RSAPublicKey' })
    .getBytes();
}

function attribute(name: 'commonName' | 'organizationName', value: string): Attribute {
  // Without the tag node-forge writes a PrintableString, which many characters may not be in.
  return { name, value, valueTagClass: forge.asn1.Type.UTF8 as unknown as forge.asn1.Class };
}

function alternativeName(name: string): Readonly<Record<string, unknown>> {
  if (isIP(name) !== 0) return { type: SAN_IP_ADDRESS, ip: name };
  if (name.length <= 253 && DNS_NAME.test(name)) return { type: SAN_DNS_NAME, value: name };
  throw new AuthorityError('bad-name', `${JSON.stringify(name)} is neither a DNS name nor an IP address`);
}
