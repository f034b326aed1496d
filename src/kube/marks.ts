import type { HighWaterMarks } from '../density/high-water.ts';
import { decodeMarks, encodeMarks } from '../density/marks-text.ts';
import type { PlanningBasis } from '../density/planning.ts';
import { at, type JsonObject, objectAt, textAt } from '../object/object.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { kubeErrorCode } from './failures.ts';
import { patiently } from './paging.ts';
import { configMapPath } from './path.ts';

/** The ConfigMap of our namespace that keeps the marks over restarts. */
export const MARKS_NAME = 'plimsoll-density';

/**
 * Set to "true" on that ConfigMap it makes the leader forget all marks at its next count and begin anew:
 * `kubectl -n NAMESPACE annotate configmap plimsoll-density plimsoll.dev/reset-density=true`. To delete the ConfigMap
 * does the same.
 */
export const RESET_ANNOTATION = 'plimsoll.dev/reset-density';

/** What there are marks of. */
export type CountedStatistic = Exclude<PlanningBasis['statistic'], 'fixed'>;

/** The key of the ConfigMap for each, so that a change of statistic mixes nothing. */
const KEYS: Readonly<Record<CountedStatistic, string>> = {
  highWaterMark: 'highWaterMark.json',
  allocatable: 'allocatable.json',
};
/** How often the marks were reset; written by us. */
const RESETS = 'resets';

export interface StoredMarks {
  /** Null where that statistic was never counted. */
  readonly marks: HighWaterMarks | null;
  /** Another one after each reset: marks of one epoch never fall. */
  readonly epoch: string;
  readonly isResetAsked: boolean;
  /** The ConfigMap. */
  readonly object: JsonObject;
}

/** Null where there is no ConfigMap. Throws KubeError. */
export async function readMarks(
  api: KubeApi,
  namespace: string,
  statistic: CountedStatistic,
  pass: Pass,
): Promise<StoredMarks | null> {
  try {
    const path = configMapPath(namespace, MARKS_NAME);
    return decode(await patiently((call) => api.get(path, call), pass), statistic);
  } catch (error) {
    if (kubeErrorCode(error) === 'not-found') return null;
    throw error;
  }
}

/**
 * Stores `marks` in place of `stored`, with which a reset that was asked for is done. Nothing is written where nothing
 * changes. Throws KubeError; `conflict` where someone else wrote since.
 */
export async function writeMarks(
  api: KubeApi,
  namespace: string,
  statistic: CountedStatistic,
  stored: StoredMarks | null,
  marks: HighWaterMarks,
  pass: Pass,
): Promise<StoredMarks> {
  const text = encodeMarks(marks);
  if (stored === null) {
    const created = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: MARKS_NAME, labels: { 'app.kubernetes.io/managed-by': 'plimsoll' } },
      data: { [KEYS[statistic]]: text },
    };
    const answer = await patiently((call) => api.create(configMapPath(namespace), created, call), pass);
    return decode(answer, statistic);
  }
  const { object, isResetAsked } = stored;
  if (!isResetAsked && at(object, 'data', KEYS[statistic]) === text) return stored;
  const changed = isResetAsked
    ? { ...withoutResetAnnotation(object), data: resetData(object, statistic, text) }
    : { ...object, data: { ...objectAt(object, 'data'), [KEYS[statistic]]: text } };
  const path = configMapPath(namespace, MARKS_NAME);
  return decode(await patiently((call) => api.update(path, changed, call), pass), statistic);
}

function decode(object: JsonObject, statistic: CountedStatistic): StoredMarks {
  const text = at(object, 'data', KEYS[statistic]);
  return {
    marks: text === undefined ? null : decodeMarks(text),
    epoch: `${textAt(object, 'metadata', 'uid')}/${resetsOf(object)}`,
    isResetAsked: at(object, 'metadata', 'annotations', RESET_ANNOTATION) === 'true',
    object,
  };
}

/** The marks of the other statistic are forgotten as well. */
function resetData(object: JsonObject, statistic: CountedStatistic, text: string): JsonObject {
  return { [KEYS[statistic]]: text, [RESETS]: String(resetsOf(object) + 1) };
}

function resetsOf(object: JsonObject): number {
  const resets = textAt(object, 'data', RESETS) ?? '';
  return /^\d{1,9}$/.test(resets) ? Number(resets) : 0;
}

function withoutResetAnnotation(object: JsonObject): JsonObject {
  const { [RESET_ANNOTATION]: _, ...annotations } = objectAt(object, 'metadata', 'annotations') ?? {};
  return { ...object, metadata: { ...objectAt(object, 'metadata'), annotations } };
}
