import type { JsonObject } from '../object/object.ts';

/** When to give up on one call. */
export interface Call {
  readonly signal?: AbortSignal;
  /** The API's own limit where absent or longer. */
  readonly timeoutMs?: number;
}

/** Of a call that would change something. */
export interface WriteCall extends Call {
  /** Everything but to store it: the answer is what would be stored, webhooks and validation included. */
  readonly dryRun?: boolean;
}

/** One page of a list. */
export interface PageQuery {
  readonly limit: number;
  /** From `metadata.continue` of the page before. */
  readonly continueToken?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** `table`: a few printed columns of each object instead of the object. */
  readonly as?: 'objects' | 'table' | undefined;
}

/**
 * What Plimsoll asks of an API server. A path is absolute and of our own making; its parts that come from elsewhere are
 * encoded (path.ts). Everything rejects with KubeError.
 */
export interface KubeApi {
  readonly get: (path: string, call?: Call) => Promise<JsonObject>;
  /** One page; readList and readTable know how to make a whole of them. */
  readonly list: (path: string, query: PageQuery, call?: Call) => Promise<JsonObject>;
  readonly create: (path: string, object: JsonObject, call?: Call) => Promise<JsonObject>;
  /** Replaces the object; `conflict` where its metadata.resourceVersion, which it has to have, is not the stored one. */
  readonly update: (path: string, object: JsonObject, call?: WriteCall) => Promise<JsonObject>;
  /** Server-side apply, by force: whatever `object` says becomes the field manager's. */
  readonly apply: (
    path: string,
    object: JsonObject,
    fieldManager: string,
    call?: Call,
  ) => Promise<JsonObject>;
  /**
   * Strategic merge: changes what `object` says, lists by their keys, and nothing else; `conflict` where it has a
   * metadata.resourceVersion that is not the stored one. The field manager owns the changed fields alone, not the items
   * of lists that they are in.
   */
  readonly merge: (
    path: string,
    object: JsonObject,
    fieldManager: string,
    call?: Call,
  ) => Promise<JsonObject>;
  readonly delete: (path: string, call?: Call) => Promise<JsonObject>;
}
