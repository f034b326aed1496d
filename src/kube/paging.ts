import { at, isObject, type JsonObject, textAt } from '../object/object.ts';
import type { Call, KubeApi, PageQuery } from './api.ts';
import type { Pass } from './clock.ts';
import { KubeError } from './failures.ts';

export interface ListRequest extends Omit<PageQuery, 'continueToken'> {
  readonly path: string;
}

/** Makes one result of many pages. */
export interface Fold<T> {
  readonly add: (page: JsonObject) => void;
  readonly result: () => T;
}

/** A list of 150,000 objects has 300 pages of 500; what goes on for longer than this does not end. */
const MAX_PAGES = 20_000;
/** For one page. */
const MAX_RETRIES = 5;
/** Where a busy server does not say how long to wait; doubled each time. */
const FIRST_WAIT_MS = 1000;

/**
 * A list from its first page to its last; a result of some of the pages is never given. A list that grows too old on the
 * way (410) is begun again once. Throws KubeError.
 */
export async function readPages<T>(
  api: KubeApi,
  request: ListRequest,
  begin: () => Fold<T>,
  pass: Pass,
): Promise<T> {
  for (let restarted = false; ; restarted = true) {
    const fold = begin();
    if (await readFromStart(api, request, fold, pass, !restarted)) return fold.result();
  }
}

/** All objects of a list. Those of built-in kinds come without apiVersion and kind, so both are set. */
export async function readObjects(
  api: KubeApi,
  request: Omit<ListRequest, 'as'>,
  type: { readonly apiVersion: string; readonly kind: string },
  pass: Pass,
): Promise<JsonObject[]> {
  const begin = () => {
    const objects: JsonObject[] = [];
    return {
      add: (page: JsonObject) => {
        for (const item of itemsOf(page, request.path)) objects.push({ ...item, ...type });
      },
      result: () => objects,
    };
  };
  return readPages(api, request, begin, pass);
}

/** The objects of one page. Throws `bad-answer` where it is no page of objects. */
export function itemsOf(page: JsonObject, path: string): readonly JsonObject[] {
  const items = at(page, 'items');
  // What Go writes for a list of none.
  if (items === null) return [];
  if (!Array.isArray(items) || !items.every(isObject))
    throw new KubeError('bad-answer', { during: `GET ${path}`, detail: 'not a list' });
  return items;
}

/** One call that waits and asks again while the server is busy, as long as the pass has time for it. */
export async function patiently<T>(ask: (call: Call) => Promise<T>, pass: Pass): Promise<T> {
  const { clock, deadline, signal } = pass;
  for (let retries = 0; ; retries++) {
    const timeoutMs = deadline - clock.now();
    if (timeoutMs <= 0) throw new KubeError('timed-out');
    try {
      return await ask({ signal, timeoutMs });
    } catch (error) {
      const waitMs = waitAfter(error, retries);
      if (waitMs === null || clock.now() + waitMs >= deadline) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}

/** False where the list grew too old on the way and that is allowed. */
async function readFromStart<T>(
  api: KubeApi,
  { path, ...query }: ListRequest,
  fold: Fold<T>,
  pass: Pass,
  mayExpire: boolean,
): Promise<boolean> {
  let continueToken: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    let page: JsonObject;
    try {
      page = await patiently((call) => api.list(path, { ...query, continueToken }, call), pass);
    } catch (error) {
      const expired = error instanceof KubeError && error.code === 'expired';
      if (expired && mayExpire && continueToken !== undefined) return false;
      throw error;
    }
    fold.add(page);
    const next = textAt(page, 'metadata', 'continue');
    if (next === undefined) return true;
    if (next === continueToken)
      throw new KubeError('bad-answer', { during: `GET ${path}`, detail: 'the same page twice' });
    continueToken = next;
  }
  throw new KubeError('bad-answer', { during: `GET ${path}`, detail: 'too many pages' });
}

/** Milliseconds until it is worth asking again; null where it is not. */
function waitAfter(error: unknown, retries: number): number | null {
  if (!(error instanceof KubeError) || retries >= MAX_RETRIES) return null;
  if (error.code !== 'too-many-requests' && error.code !== 'unavailable') return null;
  return error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** retries;
}
