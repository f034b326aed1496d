import { isObject, type JsonObject, objectAt, textAt } from '../object/object.ts';

/** What is used of an AdmissionRequest (admission.k8s.io/v1). */
export interface AdmissionRequest {
  readonly uid: string;
  /** CREATE, UPDATE, DELETE or CONNECT. */
  readonly operation: string;
  readonly namespace: string;
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  readonly dryRun: boolean;
}

export type Decoded =
  | { readonly ok: true; readonly request: AdmissionRequest }
  | { readonly ok: false; readonly problem: string };

const API_VERSION = 'admission.k8s.io/v1';

/** An AdmissionReview out of a request's body. Nothing in it is changed or dropped; what is no review is said in words. */
export function decodeReview(body: Buffer): Decoded {
  let review: unknown;
  try {
    review = JSON.parse(body.toString('utf8'));
  } catch {
    return { ok: false, problem: 'the body is not JSON' };
  }
  if (!isObject(review) || review['kind'] !== 'AdmissionReview' || review['apiVersion'] !== API_VERSION)
    return { ok: false, problem: `the body is not an AdmissionReview of ${API_VERSION}` };
  const request = objectAt(review, 'request');
  const uid = textAt(request, 'uid');
  if (!request || uid === undefined)
    return { ok: false, problem: 'the AdmissionReview has no request with a uid' };
  return {
    ok: true,
    request: {
      uid,
      operation: textAt(request, 'operation') ?? '',
      namespace: textAt(request, 'namespace') ?? '',
      object: objectAt(request, 'object') ?? null,
      oldObject: objectAt(request, 'oldObject') ?? null,
      dryRun: request['dryRun'] === true,
    },
  };
}

/** An AdmissionResponse before it is wrapped; `patch` is RFC 6902. */
export interface Answer {
  readonly allowed: boolean;
  /** HTTP-like code and text of a denial. */
  readonly denial: { readonly code: number; readonly message: string } | null;
  readonly warnings: readonly string[];
  readonly patch: readonly object[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

export const ALLOWED: Answer = { allowed: true, denial: null, warnings: [], patch: [], auditAnnotations: {} };

/** Runes of one warning, and of all warnings of one response, beyond which the API server cuts. */
const MAX_WARNING = 256;
const MAX_WARNINGS = 4096;

/**
 * Warnings as the API server keeps them: it drops those with control characters, cuts each at 256 runes and all of them
 * together at 4096, and shows doubles once (apiserver pkg/admission/plugin/webhook, pkg/endpoints/filters/warning.go).
 */
export function fitWarnings(warnings: readonly string[]): string[] {
  let left = MAX_WARNINGS;
  return [...new Set(warnings.map(printable))].flatMap((warning) => {
    const runes = [...warning];
    const kept = runes.length <= MAX_WARNING ? runes : [...runes.slice(0, MAX_WARNING - 1), '…'];
    if (kept.length === 0 || kept.length > left) return [];
    left -= kept.length;
    return [kept.join('')];
  });
}

/** One line without control characters or half surrogates. */
export function printable(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
    .trim();
}

/** kubectl prints the reason before the text; it has to go with the code (apimachinery pkg/apis/meta/v1, StatusReason). */
function reasonOf(code: number): string {
  return code >= 500 ? 'InternalError' : 'Forbidden';
}

/** The AdmissionReview to answer with. */
export function encodeReview(uid: string, answer: Answer): object {
  const { allowed, denial, patch, auditAnnotations } = answer;
  const warnings = fitWarnings(answer.warnings);
  return {
    apiVersion: API_VERSION,
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed,
      ...(denial
        ? { status: { code: denial.code, reason: reasonOf(denial.code), message: printable(denial.message) } }
        : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(patch.length > 0
        ? { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
        : {}),
      ...(Object.keys(auditAnnotations).length > 0 ? { auditAnnotations } : {}),
    },
  };
}
