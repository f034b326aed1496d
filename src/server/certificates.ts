import type { SecureContextOptions } from 'node:tls';

export interface CertificatesState {
  /** What keeps callers from accepting the certificate, in words; empty where nothing does. */
  readonly missing: readonly string[];
  /** What is wrong although the one in use will do. */
  readonly notes: readonly string[];
  /** When each certificate ends, as far as it is known. */
  readonly ends: { readonly serving?: Date; readonly authority?: Date };
}

/** The certificates that are served, whoever makes them. */
export interface Certificates {
  /** Settles when there is something to serve. */
  readonly first: Promise<void>;
  /** What is in use now. */
  context(): SecureContextOptions;
  state(): CertificatesState;
  stop(): Promise<void>;
}

/** Takes each new context, for `server.setSecureContext`; not called for the first. */
export type OnContext = (context: SecureContextOptions) => void;
