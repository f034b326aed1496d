import { type JsonObject, listAt, objectAt, textAt } from '../object/object.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { KubeError, kubeErrorCode } from './failures.ts';
import { patiently, readObjects } from './paging.ts';

/** One of the APIs that take reports: a kind for objects of a namespace, and one for those of the whole cluster. */
export interface ReportResources {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly clusterKind: string;
  readonly clusterPlural: string;
}

/** Tells our reports from those of others, who name theirs by UID too. */
const MANAGED_BY = 'app.kubernetes.io/managed-by';
const OURS = 'plimsoll';
/** What a report says, in short: one that says the same already is not written again. */
export const HASH_ANNOTATION = 'plimsoll.dev/hash';

const A_PAGE = 250;
/** Writes under way at once. */
const AT_ONCE = 8;

/** The first of these APIs that the cluster serves; null where it serves none. Throws KubeError. */
export async function servedReports(
  api: KubeApi,
  candidates: readonly ReportResources[],
  pass: Pass,
): Promise<ReportResources | null> {
  for (const candidate of candidates) {
    try {
      const served = await patiently((call) => api.get(`/apis/${candidate.apiVersion}`, call), pass);
      const names = listAt(served, 'resources').map((resource) => textAt(resource, 'name'));
      if (names.includes(candidate.plural) && names.includes(candidate.clusterPlural)) return candidate;
    } catch (error) {
      if (kubeErrorCode(error) !== 'not-found') throw error;
    }
  }
  return null;
}

export interface ReportSync {
  readonly resources: ReportResources;
  /** Where reports are looked for; null: everywhere. */
  readonly namespace: string | null;
  /** One for each object, each with `scope.uid` and HASH_ANNOTATION. */
  readonly wanted: readonly JsonObject[];
  /** Whether the report of the object with that UID is to go where none is wanted: it is known to be clean. */
  readonly isClean: (uid: string) => boolean;
}

export interface SyncCounts {
  readonly written: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** Writes that the API server refused, in words. */
  readonly refused: readonly string[];
}

/**
 * Makes the cluster hold the reports that are wanted: writes those that say something new, deletes those of clean objects,
 * and never touches what is not ours. Throws KubeError where the API server can no longer be asked.
 */
export async function syncReports(api: KubeApi, sync: ReportSync, pass: Pass): Promise<SyncCounts> {
  const stored = await readOurs(api, sync, pass);
  const byOwner = new Map(stored.map((report) => [report.owner, report]));
  const isSettled = (report: JsonObject) => byOwner.get(ownerOf(report))?.hash === hashOf(report);
  const changed = sync.wanted.filter((report) => !isSettled(report));
  const owners = new Set(sync.wanted.map(ownerOf));
  const stale = stored.filter(({ owner }) => !owners.has(owner) && sync.isClean(owner));
  const refused: string[] = [];
  const write = (report: JsonObject) =>
    writeReport(api, sync.resources, report, byOwner.get(ownerOf(report)), pass);
  const remove = ({ path }: StoredReport) => unlessGone(patiently((call) => api.delete(path, call), pass));
  const written = await countDone(changed, write, refused);
  const deleted = await countDone(stale, remove, refused);
  return { written, unchanged: sync.wanted.length - changed.length, deleted, refused };
}

interface StoredReport {
  readonly path: string;
  readonly name: string;
  readonly resourceVersion: string;
  /** UID of the object that it is about; empty where it does not say. */
  readonly owner: string;
  readonly hash: string | undefined;
}

const ownerOf = (report: JsonObject): string => textAt(report, 'scope', 'uid') ?? '';
const hashOf = (report: JsonObject) => textAt(report, 'metadata', 'annotations', HASH_ANNOTATION);
const isOurs = (report: JsonObject) => textAt(report, 'metadata', 'labels', MANAGED_BY) === OURS;

function storedReport(report: JsonObject, listPath: string): StoredReport {
  const name = textAt(report, 'metadata', 'name') ?? '';
  return {
    path: `${listPath}/${encodeURIComponent(name)}`,
    name,
    resourceVersion: textAt(report, 'metadata', 'resourceVersion') ?? '',
    owner: ownerOf(report),
    hash: hashOf(report),
  };
}

async function readOurs(
  api: KubeApi,
  { resources, namespace }: ReportSync,
  pass: Pass,
): Promise<StoredReport[]> {
  const { apiVersion, kind, clusterKind } = resources;
  const read = async (ofKind: string, path: string) => {
    const request = { path, limit: A_PAGE, labelSelector: `${MANAGED_BY}=${OURS}` };
    const reports = await readObjects(api, request, { apiVersion, kind: ofKind }, pass);
    return reports.map((report) =>
      storedReport(report, listPath(resources, textAt(report, 'metadata', 'namespace'))),
    );
  };
  return [
    ...(await read(kind, everywhere(resources, namespace))),
    ...(await read(clusterKind, listPath(resources, undefined))),
  ];
}

/** Where the reports of one namespace are, or those of the cluster. */
function listPath(
  { apiVersion, plural, clusterPlural }: ReportResources,
  namespace: string | undefined,
): string {
  return namespace === undefined
    ? `/apis/${apiVersion}/${clusterPlural}`
    : `/apis/${apiVersion}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

function everywhere(resources: ReportResources, namespace: string | null): string {
  return namespace === null
    ? `/apis/${resources.apiVersion}/${resources.plural}`
    : listPath(resources, namespace);
}

async function writeReport(
  api: KubeApi,
  resources: ReportResources,
  report: JsonObject,
  known: StoredReport | undefined,
  pass: Pass,
): Promise<boolean> {
  const path = listPath(resources, textAt(report, 'metadata', 'namespace'));
  const replace = ({ path, name, resourceVersion }: StoredReport) =>
    unlessGone(
      patiently((call) => api.update(path, withMetadata(report, { name, resourceVersion }), call), pass),
    );
  if (known) return replace(known);
  try {
    await patiently((call) => api.create(path, report, call), pass);
    return true;
  } catch (error) {
    // Its namespace went with the object.
    if (kubeErrorCode(error) === 'not-found') return false;
    if (kubeErrorCode(error) !== 'conflict') throw error;
  }
  const name = textAt(report, 'metadata', 'name') ?? '';
  const other = await patiently((call) => api.get(`${path}/${encodeURIComponent(name)}`, call), pass);
  if (isOurs(other)) return replace(storedReport(other, path));
  // Other reporters name theirs by the object's UID as well.
  const renamed = withMetadata(report, { name: `${name}-${OURS}` });
  await patiently((call) => api.create(path, renamed, call), pass);
  return true;
}

function withMetadata(report: JsonObject, change: JsonObject): JsonObject {
  return { ...report, metadata: { ...objectAt(report, 'metadata'), ...change } };
}

/** Whether it was done; not where the report is gone already, with its object. */
async function unlessGone(doing: Promise<unknown>): Promise<boolean> {
  try {
    await doing;
    return true;
  } catch (error) {
    if (kubeErrorCode(error) !== 'not-found') throw error;
    return false;
  }
}

/** Does the work on all, a few at once; counts what was done, and puts aside in words what was refused. */
async function countDone<T>(
  all: readonly T[],
  work: (one: T) => Promise<boolean>,
  refused: string[],
): Promise<number> {
  let next = 0;
  let done = 0;
  const worker = async () => {
    while (next < all.length) {
      try {
        if (await work(all[next++]!)) done += 1;
      } catch (error) {
        if (!(error instanceof KubeError) || !REFUSALS.has(error.code)) throw error;
        refused.push(error.message);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return done;
}

/** Answers to one report that need not hold for the next. */
const REFUSALS: ReadonlySet<string> = new Set(['forbidden', 'conflict', 'bad-request', 'too-large']);
