import { stringify } from 'yaml';
import type { ObjectReference } from '../object/object.ts';
import { digest } from './digest.ts';
import { resourceLabel } from './grouping.ts';
import type { RenderOptions, Report, ReportResult, ResultKind } from './model.ts';
import { summarize } from './model.ts';
import { ruleOf } from './rules.ts';

/** One of the two report APIs of Kubernetes; they differ in names and in one field of the report. */
export interface ReportApi {
  readonly apiVersion: string;
  readonly kind: string;
  /** The kind for objects that have no namespace. */
  readonly clusterKind: string;
  /** Whether a report has a `source` besides those of its results. */
  readonly hasSource: boolean;
}

const SOURCE = 'plimsoll';
const CATEGORIES = { 'volume-size': 'Volume sizes', 'memory-floor': 'Memory limits' } as const;

/** metadata.name: at most 253 characters; what is kept of a kind and name leaves room for the digest. */
const MAX_NAME_STEM = 200;

/** The kinds without namespace that Plimsoll judges; all others only lack one in a file, until they are applied. */
const CLUSTER_SCOPED_KINDS: ReadonlySet<string> = new Set(['CDI']);

/** metav1.Timestamp: these APIs do not take RFC 3339. */
interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

/** One report for each object, so that none outgrows etcd and each can be collected with its owner. */
export function objectReports(api: ReportApi, report: Report, options: RenderOptions) {
  const byObject = new Map<string, ReportResult[]>();
  for (const result of report.results) {
    const key = keyOf(result);
    const results = byObject.get(key);
    if (results) results.push(result);
    else byObject.set(key, [result]);
  }
  const timestamp = timestampOf(options.at);
  return [...byObject].map(([key, results]) => objectReport(api, key, results, timestamp));
}

/** The reports as a List in YAML, for kubectl apply; a List, for there may be no report at all. */
export function renderObjectReports(api: ReportApi, report: Report, options: RenderOptions): string {
  const list = { apiVersion: 'v1', kind: 'List', items: objectReports(api, report, options) };
  return stringify(list, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** What tells one object from another; documents that are no objects are told apart by their place. */
function keyOf({ resource, file, line }: ReportResult): string {
  const { apiVersion, kind, namespace, name } = resource;
  const uid = uidOf(resource);
  return uid === ''
    ? digest(apiVersion, kind, namespace, name, ...(name === '' ? [file ?? '', String(line)] : []))
    : uid;
}

function objectReport(api: ReportApi, key: string, results: readonly ReportResult[], timestamp: Timestamp) {
  const { resource } = results[0]!;
  return {
    apiVersion: api.apiVersion,
    kind: isClusterScoped(resource) ? api.clusterKind : api.kind,
    metadata: metadataOf(resource, key),
    ...(api.hasSource ? { source: SOURCE } : {}),
    ...(resource.kind === '' ? {} : { scope: scopeOf(resource) }),
    summary: summarize(results),
    results: results.map((result) => resultOf(result, timestamp)),
  };
}

/** Empty where it is none: only the API server gives UIDs, but a file may hold anything there. */
function uidOf({ uid }: ObjectReference): string {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uid) ? uid : '';
}

function isClusterScoped(resource: ObjectReference): boolean {
  const { kind, namespace } = resource;
  return namespace === '' && (uidOf(resource) !== '' || CLUSTER_SCOPED_KINDS.has(kind));
}

function metadataOf(resource: ObjectReference, key: string) {
  const { apiVersion, kind, namespace, name } = resource;
  const uid = uidOf(resource);
  return {
    name: uid === '' ? `${nameStem(resource)}-${key}` : uid,
    ...(namespace === '' ? {} : { namespace }),
    labels: { 'app.kubernetes.io/managed-by': SOURCE },
    ...(uid === '' ? {} : { ownerReferences: [{ apiVersion, kind, name, uid }] }),
  };
}

/** The readable part of a report's name, within RFC 1123's alphabet. */
function nameStem(resource: ObjectReference): string {
  const stem = [resource.kind, resource.name]
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME_STEM)
    .replace(/^-+|-+$/g, '');
  return stem === '' ? 'document' : stem;
}

function scopeOf(resource: ObjectReference) {
  const { apiVersion, kind, namespace, name } = resource;
  const uid = uidOf(resource);
  return Object.fromEntries(
    Object.entries({ apiVersion, kind, namespace, name, uid }).filter(([, value]) => value !== ''),
  );
}

function resultOf(result: ReportResult, timestamp: Timestamp) {
  const { policy, rule, severity } = result;
  return {
    policy,
    rule,
    source: SOURCE,
    category: CATEGORIES[policy],
    severity,
    result: result.result satisfies ResultKind,
    // The APIs define a warning as a requirement that is not scored.
    scored: result.result !== 'warn',
    timestamp,
    message: stableMessage(result),
    properties: propertiesOf(result),
  };
}

/**
 * Viewers tell results apart by their message, so a floor's message, which changes with every pod more or less, goes
 * to the properties. A volume's changes only with its image.
 */
function stableMessage(result: ReportResult): string {
  const { policy, field, resource, message } = result;
  const isBelow = result.result === 'fail' || result.result === 'warn';
  if (policy !== 'memory-floor' || !isBelow) return message;
  return `${resourceLabel(resource)}: ${field}: ${ruleOf(result).title}`;
}

function propertiesOf(result: ReportResult): Record<string, string> {
  const { field, file, line, message, properties } = result;
  const place = { field, file: file ?? '', line: line === null ? '' : String(line) };
  const detail = stableMessage(result) === message ? '' : message;
  return Object.fromEntries(
    Object.entries({ ...properties, ...place, detail }).filter(([, value]) => value !== ''),
  );
}

function timestampOf(at: string): Timestamp {
  const milliseconds = Date.parse(at);
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanos: (milliseconds - seconds * 1000) * 1_000_000 };
}
