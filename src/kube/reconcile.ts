import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, ObjectReference } from '../object/object.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { patiently } from './paging.ts';
import { ownerOf } from './reconcile-owner.ts';

/** What came of writing an object again. */
export type Rewriting =
  /** Nothing is below a floor any more. */
  | { readonly kind: 'settled' }
  /** `owner` in words. */
  | { readonly kind: 'owned'; readonly owner: string }
  /** The API server would store something else than our own raise: our webhook is not asked, or others change it too. */
  | { readonly kind: 'unexpected' }
  | { readonly kind: 'written' };

/** What the webhook would make of an object; null where it would leave it. */
export type Raise = (stored: JsonObject) => JsonObject | null;

/**
 * Writes an object again just as it is stored, so that our own webhook raises it on the way: a client that sends what is
 * there becomes the manager of no field. First as a dry run, which has to answer exactly the raise. Throws KubeError;
 * `conflict` where somebody wrote meanwhile.
 */
export async function writeAgain(
  api: KubeApi,
  reference: ObjectReference,
  raise: Raise,
  pass: Pass,
): Promise<Rewriting> {
  const path = pathOf(reference);
  const stored = await patiently((call) => api.get(path, call), pass);
  const owner = ownerOf(stored);
  if (owner !== null) return { kind: 'owned', owner };
  const raised = raise(stored);
  if (raised === null) return { kind: 'settled' };
  const answer = await patiently((call) => api.update(path, stored, { ...call, dryRun: true }), pass);
  if (!isDeepStrictEqual(answer['spec'], raised['spec'])) return { kind: 'unexpected' };
  await patiently((call) => api.update(path, stored, call), pass);
  return { kind: 'written' };
}

/** Of the kinds that floors know: each is in a group, and its plural is its name with an s. */
function pathOf({ apiVersion, kind, namespace, name }: ObjectReference): string {
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `/apis/${apiVersion}${scope}/${kind.toLowerCase()}s/${encodeURIComponent(name)}`;
}
