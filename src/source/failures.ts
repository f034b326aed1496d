import { errors } from 'undici';
import { SourceError } from './source.ts';

/** OpenSSL's reasons to distrust a certificate, as node:tls gives them in `code`. */
const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'EPROTO',
]);

const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

const isTls = (code: string) => CERTIFICATE_CODES.has(code) || /^ERR_(TLS|SSL|OSSL)_/.test(code);
const isMalformed = (cause: Error, code: string) =>
  cause instanceof errors.HTTPParserError ||
  cause instanceof errors.HeadersOverflowError ||
  code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

/** What went wrong below HTTP, as a SourceError; `signal` is the deadline that may have ended it. */
export function transportFailure(error: unknown, signal: AbortSignal): SourceError {
  if (error instanceof SourceError) return error;
  if (signal.aborted) return new SourceError('timed-out');
  for (let cause = error, depth = 0; cause instanceof Error && depth < 4; cause = cause.cause, depth++) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if (TIMEOUT_CODES.has(code)) return new SourceError('timed-out');
    if (isTls(code)) return new SourceError('tls');
    if (isMalformed(cause, code)) return new SourceError('bad-answer', 'not HTTP');
  }
  return new SourceError('unreachable');
}

/** What a status that carries no content means. */
export function statusFailure(status: number): SourceError {
  if (status === 401 || status === 403) return new SourceError('needs-credentials');
  if (status === 404 || status === 410) return new SourceError('not-found');
  return new SourceError('bad-answer');
}
