import { isObject, textAt } from '../object/object.ts';

export type KubeErrorCode =
  /** No configuration names a cluster. */
  | 'no-cluster'
  | 'bad-kubeconfig'
  /** Token, certificate or plug-in of the user could not be read or run. */
  | 'credentials'
  | 'unreachable'
  | 'tls'
  | 'timed-out'
  /** The caller gave up. */
  | 'stopped'
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  /** Someone else was first: the object exists already, or has another resourceVersion. */
  | 'conflict'
  /** 410: the continue token is too old. */
  | 'expired'
  | 'too-many-requests'
  | 'unavailable'
  | 'server-error'
  | 'too-large'
  | 'bad-answer';

const WORDS: Readonly<Record<KubeErrorCode, string>> = {
  'no-cluster': 'no cluster is configured',
  'bad-kubeconfig': 'the kubeconfig cannot be used',
  credentials: 'the credentials for the API server could not be read',
  unreachable: 'the API server could not be reached',
  tls: 'the TLS connection to the API server failed',
  'timed-out': 'the API server did not answer in time',
  stopped: 'stopped',
  'bad-request': 'the API server refused the request as invalid',
  unauthorized: 'the API server does not accept the credentials',
  forbidden: 'the API server does not permit it',
  'not-found': 'not found',
  conflict: 'changed by someone else',
  expired: 'the list is too old to go on',
  'too-many-requests': 'the API server is busy',
  unavailable: 'the API server is not available',
  'server-error': 'the API server failed',
  'too-large': 'the answer is too large',
  'bad-answer': 'the answer is not what the API serves',
};

const BY_STATUS: ReadonlyMap<number, KubeErrorCode> = new Map([
  [400, 'bad-request'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [409, 'conflict'],
  [410, 'expired'],
  [422, 'bad-request'],
  [429, 'too-many-requests'],
  [503, 'unavailable'],
]);

interface KubeErrorDetails {
  /** What was asked, in words of ours: `GET /api/v1/pods`. */
  readonly during?: string;
  readonly detail?: string;
  readonly status?: number;
  readonly reason?: string | null;
  readonly retryAfterMs?: number | null;
}

/** What went wrong with the API server. The message has no word of the answer's body but its reason. */
export class KubeError extends Error {
  readonly code: KubeErrorCode;
  /** Of HTTP; null where there was no answer. */
  readonly status: number | null;
  /** `reason` of the answer's Status: `Conflict`, `AlreadyExists`… */
  readonly reason: string | null;
  /** How long the server asks to be left alone. */
  readonly retryAfterMs: number | null;

  constructor(code: KubeErrorCode, details: KubeErrorDetails = {}) {
    const { during, detail, status, reason, retryAfterMs } = details;
    const figures = [status, reason].filter((figure) => figure !== undefined && figure !== null);
    super(
      [
        during === undefined ? '' : `${during}: `,
        WORDS[code],
        detail === undefined ? '' : `: ${detail}`,
        figures.length === 0 ? '' : ` (${figures.join(' ')})`,
      ].join(''),
    );
    this.name = 'KubeError';
    this.code = code;
    this.status = status ?? null;
    this.reason = reason ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
  }
}

/** The code of whatever was thrown; null where it is no KubeError. */
export function kubeErrorCode(error: unknown): KubeErrorCode | null {
  return error instanceof KubeError ? error.code : null;
}

/** What an answer that is no success means; `body` is what the server sent of a Status. */
export function statusFailure(
  during: string,
  status: number,
  retryAfter: string | undefined,
  body: unknown,
): KubeError {
  const code = BY_STATUS.get(status) ?? (status >= 500 ? 'server-error' : 'bad-answer');
  return new KubeError(code, {
    during,
    status,
    reason: reasonIn(body),
    retryAfterMs: delayIn(retryAfter),
  });
}

/** OpenSSL's and Node's reasons to distrust a certificate or to end a handshake. */
const TLS_CODE =
  /^(?:ERR_(?:TLS|SSL|OSSL)_.*|EPROTO|(?:CERT|INVALID|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME|PATH_LENGTH)_.*)$/;
const TIMEOUT_CODE = /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/;
/** undici's names for an answer that is no HTTP. */
const MALFORMED_CODE = /^(?:HPE_.*|UND_ERR_(?:HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH))$/;

/** What went wrong below HTTP; `gaveUp` where the caller's signal ended it, `late` where the deadline did. */
export function transportFailure(
  during: string,
  error: unknown,
  ended: 'gave-up' | 'late' | null,
): KubeError {
  if (error instanceof KubeError) return error;
  if (ended === 'gave-up') return new KubeError('stopped', { during });
  if (ended === 'late') return new KubeError('timed-out', { during });
  for (let cause = error, depth = 0; cause instanceof Error && depth < 4; cause = cause.cause, depth++) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if (TIMEOUT_CODE.test(code)) return new KubeError('timed-out', { during });
    if (MALFORMED_CODE.test(code)) return new KubeError('bad-answer', { during });
    if (TLS_CODE.test(code)) return new KubeError('tls', { during });
  }
  return new KubeError('unreachable', { during });
}

function reasonIn(body: unknown): string | null {
  const reason = isObject(body) ? textAt(body, 'reason') : undefined;
  return reason !== undefined && /^[A-Za-z]{1,64}$/.test(reason) ? reason : null;
}

/** Of Retry-After only the form in seconds, which is what API servers send. */
function delayIn(retryAfter: string | undefined): number | null {
  return retryAfter !== undefined && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) * 1000 : null;
}
