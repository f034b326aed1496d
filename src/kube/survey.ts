import { mergeHighWater } from '../density/high-water.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { countPods, type PodsByNode, readAllocatable } from './density.ts';
import { kubeErrorCode } from './failures.ts';
import { type ClusterSnapshot, densityOf, type PlanningSettings } from './knowledge.ts';
import { type CountedStatistic, readMarks } from './marks.ts';
import { readConnectionLimit } from './multus.ts';
import { readStorage } from './storage.ts';

export interface SurveyOptions {
  readonly api: KubeApi;
  /** Where Plimsoll keeps its marks in that cluster; null where it is not installed. */
  readonly namespace: string | null;
  readonly planning: PlanningSettings;
  readonly multusNamespaces: readonly string[];
}

/** What a webhook in that cluster would know after its next reading. */
export type ClusterSurvey = Omit<ClusterSnapshot, 'ageMs' | 'isLeader'>;

/**
 * Reads a cluster once and changes nothing in it. What this user may not read is not known, and named in `forbidden`.
 * Throws KubeError.
 */
export async function surveyCluster(options: SurveyOptions, pass: Pass): Promise<ClusterSurvey> {
  const { api, namespace, planning, multusNamespaces } = options;
  const { statistic } = planning;
  const [storage, limit, stored, counted] = await Promise.all([
    readStorage(api, pass),
    unlessForbidden('ConfigMap', readConnectionLimit(api, multusNamespaces, pass)),
    statistic === 'fixed' || namespace === null
      ? NOTHING
      : unlessForbidden('ConfigMap', readMarks(api, namespace, statistic, pass)),
    statistic === 'fixed'
      ? NOTHING
      : unlessForbidden(statistic === 'allocatable' ? 'Node' : 'Pod', count(api, statistic, pass)),
  ]);
  const known = [stored.value?.marks, counted.value?.pods].filter((marks) => marks != null);
  const marks = known.length === 0 ? null : known.reduce(mergeHighWater);
  const forbidden = [...storage.forbidden, ...limit.forbidden, ...stored.forbidden, ...counted.forbidden];
  return {
    storage: storage.facts,
    density: densityOf(planning, marks),
    connectionLimit: limit.value,
    marks,
    forbidden: [...new Set(forbidden)],
    withoutHostNetwork: counted.value?.withoutHostNetwork ?? true,
  };
}

interface Permitted<T> {
  /** Null where it may not be read. */
  readonly value: T | null;
  readonly forbidden: readonly string[];
}

const NOTHING: Permitted<never> = { value: null, forbidden: [] };

async function unlessForbidden<T>(kind: string, reading: Promise<T>): Promise<Permitted<T>> {
  try {
    return { value: await reading, forbidden: [] };
  } catch (error) {
    if (kubeErrorCode(error) !== 'forbidden') throw error;
    return { value: null, forbidden: [kind] };
  }
}

async function count(
  api: KubeApi,
  statistic: CountedStatistic,
  pass: Pass,
): Promise<{ readonly pods: PodsByNode; readonly withoutHostNetwork: boolean }> {
  return statistic === 'allocatable'
    ? { pods: await readAllocatable(api, pass), withoutHostNetwork: true }
    : countPods(api, pass);
}
