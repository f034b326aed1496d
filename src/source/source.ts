import type { ByteSource } from '../bytes/source.ts';

/** Why an image could not be looked at; each is the reason of an `unknown-image`. */
export const SOURCE_FAILURES = {
  'bad-url': 'its URL cannot be used',
  'not-permitted': 'its address is not one that may be dialled',
  unreachable: 'its server cannot be reached',
  'timed-out': 'its server did not answer in time',
  tls: 'the TLS connection to its server failed',
  'needs-credentials': 'its server asks for credentials',
  'not-found': 'its server does not have it',
  'bad-answer': 'its server gave an answer that is of no use',
  'too-many-redirects': 'its server redirects too often',
  'over-budget': 'reading it takes more than the budget',
  changed: 'it changed while it was read',
  unsupported: 'this kind of source cannot be read here',
  'not-an-image': 'what its server sent is not an image',
  busy: 'too many images are being looked at',
} as const;

export type SourceFailureCode = keyof typeof SOURCE_FAILURES;

/**
 * A source that failed, by code. `detail` is a few words that the requester could know already:
 * never a resolved address, a response body or a header.
 */
export class SourceError extends Error {
  readonly code: SourceFailureCode;
  constructor(code: SourceFailureCode, detail?: string) {
    super(detail === undefined ? SOURCE_FAILURES[code] : `${SOURCE_FAILURES[code]} (${detail})`);
    this.name = 'SourceError';
    this.code = code;
  }
}

/** Where an image is and what reaching it takes: one row of sources.ts serves each kind. */
export interface SourceRequest {
  readonly kind: 'http' | 's3' | 'gcs' | 'registry';
  readonly url: string;
  /** Headers that the volume's own spec shows. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers out of Secrets: never sent to another origin. */
  readonly secretHeaders?: Readonly<Record<string, string>>;
  readonly credentials?: { readonly accessKeyId: string; readonly secretKey: string };
  /** PEM certificates to trust besides the system's. */
  readonly ca?: string;
  readonly insecureSkipVerify?: boolean;
  /** registry only: linux/<architecture>; absent means the cluster's. */
  readonly architecture?: string;
}

/** Which addresses may be dialled: see addresses.ts. */
export interface AddressPolicy {
  readonly mode: 'public' | 'allowlist' | 'any';
  /** `host`, `host:port`, `.suffix` or CIDR. In `public` mode they open private ranges as well. Never metadata addresses. */
  readonly allow: readonly string[];
}

/** Bytes and requests that one probe may cost. */
export interface SourceBudget {
  readonly maxRequests: number;
  readonly maxBytes: number;
  readonly maxRedirects: number;
}

/** The world that a source acts in; everything that is not a function of the request. */
export interface SourceContext {
  readonly addresses: AddressPolicy;
  readonly budget: SourceBudget;
  /** Ends every wait: total deadline. */
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** Milliseconds allowed for one connection, and between two reads of a body. */
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** All addresses of a host name. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly proxy?: string;
}

/** Opens the request's file. Throws SourceError. */
export type OpenSource = (request: SourceRequest, context: SourceContext) => Promise<ByteSource>;
