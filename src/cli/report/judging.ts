import { judgeObject } from '../../evaluate/judge.ts';
import type { World } from '../../evaluate/world.ts';
import { identify } from '../../object/object.ts';
import type { ReportResult } from '../../report/model.ts';
import { resultsOf } from '../../report/results.ts';
import type { Subject } from './inputs.ts';

/** Objects judged at the same time; images have their own, lower, limit. */
const AT_ONCE = 32;
/** Of our kinds, those that have no namespace. */
const CLUSTER_SCOPED = new Set(['CDI']);

export interface Judging {
  /** Of objects that name none. */
  readonly namespace: string;
  readonly world: World;
  /** Ends the work with what there is. */
  readonly signal: AbortSignal;
  readonly onJudged: (done: number) => void;
}

async function judgeSubject(
  subject: Subject,
  { namespace, world, signal }: Judging,
): Promise<ReportResult[]> {
  const { object, oldObject, operation, file, line } = subject;
  const reference = identify(object);
  const elsewhere = CLUSTER_SCOPED.has(reference.kind) ? '' : namespace;
  const home = reference.namespace || (subject.namespace ?? elsewhere);
  const outcomes = await judgeObject({ object, oldObject, operation, namespace: home }, world, signal);
  return resultsOf(outcomes, { ...reference, namespace: home }, { file, line });
}

/** The results of every object, in the order of the objects; where the signal ends, of those that were judged until then. */
export async function judgeSubjects(subjects: readonly Subject[], judging: Judging): Promise<ReportResult[]> {
  const results: ReportResult[][] = [];
  let next = 0;
  let done = 0;
  const work = async () => {
    while (next < subjects.length && !judging.signal.aborted) {
      const index = next++;
      const judged = await judgeSubject(subjects[index]!, judging);
      // A look that was broken off says nothing about its image.
      if (judging.signal.aborted) return;
      results[index] = judged;
      judging.onJudged(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results.flat();
}
