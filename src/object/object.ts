/** A JSON object as it was sent: nothing about it may be taken for granted. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What lies at `path`, by own properties only; undefined where any step is missing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<string | number, unknown>)[step];
  }
  return here;
}

/** The string at `path`; undefined where it is missing, empty or of another type. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The object at `path`; undefined where it is missing or of another type. */
export function objectAt(value: unknown, ...path: readonly (string | number)[]): JsonObject | undefined {
  const found = at(value, ...path);
  return isObject(found) ? found : undefined;
}

/** The list at `path`; empty where it is missing or of another type. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Which object it is; texts are empty where the object does not say. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export function identify(object: unknown): ObjectReference {
  return {
    apiVersion: textAt(object, 'apiVersion') ?? '',
    kind: textAt(object, 'kind') ?? '',
    namespace: textAt(object, 'metadata', 'namespace') ?? '',
    name: textAt(object, 'metadata', 'name') ?? textAt(object, 'metadata', 'generateName') ?? '',
    uid: textAt(object, 'metadata', 'uid') ?? '',
  };
}

export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/** Whether it is on its way out: such objects are only ever updated to remove finalizers. */
export function isBeingDeleted(object: unknown): boolean {
  return at(object, 'metadata', 'deletionTimestamp') != null;
}

/** For the end of a switch over a closed union. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
