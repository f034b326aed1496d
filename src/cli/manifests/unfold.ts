import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../object/object.ts';

/** One object of a document; an AdmissionReview stands for the object that it carries. */
export interface Unfolded {
  readonly object: JsonObject;
  readonly oldObject: JsonObject | null;
  readonly operation: 'CREATE' | 'UPDATE';
  /** Of the AdmissionReview's request, empty where it names none; null: there is no request. */
  readonly namespace: string | null;
  /** Which items of which lists it is, from the outside in; empty where the document is the object. */
  readonly path: readonly number[];
}

/** Lists of lists are rare, and none is deeper; without a bound the stack would be. */
const MAX_DEPTH = 100;

/**
 * The objects that could be judged of one document: of a List its items, of an AdmissionReview what a webhook would be
 * asked to judge, which of DELETE and CONNECT is nothing. Null where it is no Kubernetes object.
 */
export function unfold(value: unknown): readonly Unfolded[] | null {
  return unfoldWithin(value, [], []);
}

/** `around` are the items of the lists that it lies in: by an alias of YAML a list can lie in itself. */
function unfoldWithin(
  value: unknown,
  path: readonly number[],
  around: readonly unknown[],
): readonly Unfolded[] | null {
  if (!isObject(value) || path.length > MAX_DEPTH) return null;
  const kind = textAt(value, 'kind');
  const apiVersion = textAt(value, 'apiVersion');
  if (kind === undefined || apiVersion === undefined) return null;
  if (kind.endsWith('List') && Array.isArray(value['items'])) {
    const type = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
    const list = listAt(value, 'items');
    if (around.includes(list)) return null;
    const items = list.map((item, index) =>
      unfoldWithin(typed(item, type), [...path, index], [...around, list]),
    );
    return items.length > 0 && items.every((item) => item === null)
      ? null
      : items.flatMap((item) => item ?? []);
  }
  if (kind === 'AdmissionReview') return unfoldReview(value, path);
  return [{ object: value, oldObject: null, operation: 'CREATE', namespace: null, path }];
}

/** The items of a list of built-in kinds do not say what they are. */
function typed(item: unknown, type: { readonly apiVersion?: string; readonly kind?: string }): unknown {
  return isObject(item) && item['kind'] === undefined ? { ...type, ...item } : item;
}

function unfoldReview(review: JsonObject, path: readonly number[]): Unfolded[] {
  const object = objectAt(review, 'request', 'object');
  const oldObject = objectAt(review, 'request', 'oldObject') ?? null;
  const operation = textAt(review, 'request', 'operation') ?? (oldObject ? 'UPDATE' : 'CREATE');
  if (!object || (operation !== 'CREATE' && operation !== 'UPDATE')) return [];
  return [{ object, oldObject, operation, namespace: textAt(review, 'request', 'namespace') ?? '', path }];
}
