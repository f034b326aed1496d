import type { Report, ResultKind } from './model.ts';

const PLURALS: Readonly<Record<ResultKind, readonly [one: string, many: string]>> = {
  pass: ['passed', 'passed'],
  fail: ['failed', 'failed'],
  warn: ['warning', 'warnings'],
  error: ['error', 'errors'],
  skip: ['skipped', 'skipped'],
};

/** `3 failed, 1 warning, 2 passed`: what did not happen is left out; null where there is no result at all. */
export function countsInWords(
  summary: Report['summary'],
  paint = (text: string, _kind: ResultKind) => text,
): string | null {
  const counts = BY_SERIOUSNESS.filter((kind) => summary[kind] > 0).map((kind) =>
    paint(`${summary[kind]} ${PLURALS[kind][summary[kind] === 1 ? 0 : 1]}`, kind),
  );
  return counts.length === 0 ? null : counts.join(', ');
}

/** The kinds of result, what needs a person first. */
export const BY_SERIOUSNESS = [
  'fail',
  'error',
  'warn',
  'pass',
  'skip',
] as const satisfies readonly ResultKind[];

/** Where a density comes from; other origins are told as they are. */
const ORIGINS: Readonly<Record<string, string>> = {
  fixed: 'as given',
  minimum: 'the least that is planned for',
  highWaterMark: 'the most that a node has held',
  allocatable: 'the most that a node may hold',
};

/** `90 pods a node (the most that a node has held)`. */
export function densityInWords({ pods, origin }: Report['density']): string {
  const words = Object.hasOwn(ORIGINS, origin) ? ORIGINS[origin] : origin;
  return `${pods} pods a node (${words})`;
}

/** `2 documents are no Kubernetes objects`; null where all are. */
export function ignoredInWords(ignored: number): string | null {
  if (ignored === 0) return null;
  return ignored === 1
    ? '1 document is no Kubernetes object'
    : `${ignored} documents are no Kubernetes objects`;
}
