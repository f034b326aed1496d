import { type Dispatcher, request } from 'undici';
import { isObject, type JsonObject, textAt } from '../object/object.ts';
import type { Call, KubeApi, PageQuery } from './api.ts';
import { KubeError, statusFailure, transportFailure } from './failures.ts';

/** Where the API server is, and who asks. */
export interface ClusterAccess {
  /** Without a slash at its end; may have a path, as behind Rancher. */
  readonly server: string;
  /** Asked anew for each call, for tokens expire. Throws KubeError. */
  readonly authorize: () => Promise<{
    readonly headers: Readonly<Record<string, string>>;
    readonly dispatcher: Dispatcher;
  }>;
}

export interface HttpOptions {
  readonly userAgent: string;
  /** For one call, credentials and body included. */
  readonly timeoutMs: number;
  /** Of one answer. */
  readonly maxBytes: number;
}

/** A page of 500 pods as a Table is 70 kB, one of 100 nodes 2 MB; the API server lets no object grow over 1.5 MB. */
export const DEFAULT_HTTP = { timeoutMs: 30_000, maxBytes: 32 * 1024 * 1024 } as const;

/** Enough for a Status; of anything longer only the code counts. */
const MAX_FAILURE_BYTES = 64 * 1024;

const JSON_TYPE = 'application/json';
const TABLE_TYPE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
/** JSON is YAML. */
const APPLY_TYPE = 'application/apply-patch+yaml';
const MERGE_TYPE = 'application/strategic-merge-patch+json';

interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly accept?: string;
  readonly content?: { readonly type: string; readonly object: JsonObject };
}

/** The API server over HTTP: no redirects, no answer larger than allowed, no call longer than allowed. */
export function createKubeApi(access: ClusterAccess, options: HttpOptions): KubeApi {
  const ask = (what: Ask, call: Call = {}) => exchange(access, options, what, call);
  return {
    get: (path, call) => ask({ method: 'GET', path }, call),
    list: (path, query, call) =>
      ask(
        {
          method: 'GET',
          path,
          query: pageParameters(query),
          accept: query.as === 'table' ? TABLE_TYPE : JSON_TYPE,
        },
        call,
      ),
    create: (path, object, call) => ask({ method: 'POST', path, content: { type: JSON_TYPE, object } }, call),
    update: async (path, object, call) => {
      // Without one the API server would overwrite whatever is stored.
      if (textAt(object, 'metadata', 'resourceVersion') === undefined)
        throw new KubeError('bad-request', { during: `PUT ${path}`, detail: 'no resourceVersion' });
      const query = call?.dryRun ? { query: new URLSearchParams({ dryRun: 'All' }) } : {};
      return ask({ method: 'PUT', path, ...query, content: { type: JSON_TYPE, object } }, call);
    },
    apply: (path, object, fieldManager, call) =>
      ask(
        {
          method: 'PATCH',
          path,
          query: new URLSearchParams({ fieldManager, force: 'true' }),
          content: { type: APPLY_TYPE, object },
        },
        call,
      ),
    merge: (path, object, fieldManager, call) =>
      ask(
        {
          method: 'PATCH',
          path,
          query: new URLSearchParams({ fieldManager }),
          content: { type: MERGE_TYPE, object },
        },
        call,
      ),
    delete: (path, call) => ask({ method: 'DELETE', path }, call),
  };
}

function pageParameters({
  limit,
  continueToken,
  fieldSelector,
  labelSelector,
  as,
}: PageQuery): URLSearchParams {
  const query = new URLSearchParams({ limit: String(limit) });
  if (continueToken !== undefined) query.set('continue', continueToken);
  if (fieldSelector !== undefined) query.set('fieldSelector', fieldSelector);
  if (labelSelector !== undefined) query.set('labelSelector', labelSelector);
  // Each row would carry the object's metadata otherwise.
  if (as === 'table') query.set('includeObject', 'None');
  return query;
}

async function exchange(
  access: ClusterAccess,
  options: HttpOptions,
  { method, path, query, accept = JSON_TYPE, content }: Ask,
  call: Call,
): Promise<JsonObject> {
  const during = `${method} ${path}`;
  const late = AbortSignal.timeout(Math.max(0, Math.min(call.timeoutMs ?? Infinity, options.timeoutMs)));
  const signal = call.signal === undefined ? late : AbortSignal.any([late, call.signal]);
  try {
    const { headers, dispatcher } = await unlessAborted(access.authorize(), signal);
    const answer = await request(`${access.server}${path}${query === undefined ? '' : `?${query}`}`, {
      method,
      dispatcher,
      signal,
      headers: {
        ...headers,
        'user-agent': options.userAgent,
        accept,
        'accept-encoding': 'identity',
        ...(content === undefined ? {} : { 'content-type': content.type }),
      },
      ...(content === undefined ? {} : { body: JSON.stringify(content.object) }),
    });
    // A body that is dropped unread ends in an error that nobody waits for.
    answer.body.on('error', () => {});
    if (answer.statusCode < 200 || answer.statusCode > 299) {
      const retryAfter = answer.headers['retry-after'];
      const bytes = await readBody(answer.body, MAX_FAILURE_BYTES);
      throw statusFailure(
        during,
        answer.statusCode,
        typeof retryAfter === 'string' ? retryAfter : undefined,
        bytes === null ? null : parse(bytes),
      );
    }
    const bytes = await readBody(answer.body, options.maxBytes);
    if (bytes === null) throw new KubeError('too-large', { during });
    const parsed = parse(bytes);
    if (!isObject(parsed)) throw new KubeError('bad-answer', { during });
    return parsed;
  } catch (error) {
    throw transportFailure(during, error, call.signal?.aborted ? 'gave-up' : late.aborted ? 'late' : null);
  }
}

/** The whole body; null, and the connection is dropped, where it is longer than `limit` bytes. */
async function readBody(
  body: AsyncIterable<Uint8Array> & { destroy(): void },
  limit: number,
): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) {
      body.destroy();
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

/** A plug-in that gives credentials may wait for a person. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
