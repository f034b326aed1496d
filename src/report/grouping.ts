import type { ObjectReference } from '../object/object.ts';
import type { ReportResult } from './model.ts';

export interface ResultGroup {
  readonly title: string;
  readonly results: readonly ReportResult[];
}

/** Results by the file they were read from or, for the cluster's, by namespace; in order of first appearance. */
export function groupResults(results: readonly ReportResult[]): ResultGroup[] {
  const groups = new Map<string, ReportResult[]>();
  for (const result of results) {
    const title = titleOf(result);
    const group = groups.get(title);
    if (group) group.push(result);
    else groups.set(title, [result]);
  }
  return [...groups].map(([title, results]) => ({ title, results }));
}

function titleOf({ file, resource }: ReportResult): string {
  if (file !== null && file.trim() !== '') return file;
  return resource.namespace === '' ? 'cluster-scoped' : `namespace ${resource.namespace}`;
}

/** `Kind/namespace/name`, without the parts that the object does not say; a document may say nothing at all. */
export function resourceLabel({ kind, namespace, name }: ObjectReference): string {
  return [kind, namespace, name].filter((part) => part !== '').join('/') || 'document';
}

/** The message without the object's name before it, for formats that show the name beside it. */
export function shortMessage({ message, resource: { kind, namespace, name } }: ReportResult): string {
  const subject = `${kind} ${namespace === '' ? name : `${namespace}/${name}`}: `;
  return message.startsWith(subject) ? message.slice(subject.length) : message;
}
