import { groupOf, type JsonObject, textAt } from '../object/object.ts';
import { applyOperations } from './apply.ts';
import type { FloorContext, FloorOutcome, FloorSettings, FloorSubject, FloorTarget } from './floor.ts';

export interface FloorQuestion extends FloorContext {
  readonly targets: readonly FloorTarget[];
  /** By the target's name; a target without settings is off. */
  readonly settings: ReadonlyMap<string, FloorSettings>;
}

/**
 * What every target says of one object; empty where it is the business of none. The operations of all outcomes may be
 * applied one after the other: each target sees what those before it write, so that two that mean the same container
 * leave it at the higher floor.
 */
export function judgeFloors(subject: FloorSubject, question: FloorQuestion): FloorOutcome[] {
  const outcomes: FloorOutcome[] = [];
  let object = subject.object;
  for (const target of targetsFor(subject.object, question.targets)) {
    const settings = question.settings.get(target.name);
    const outcome = settings === undefined ? null : target.judge({ ...subject, object }, settings, question);
    if (outcome === null) continue;
    outcomes.push(outcome);
    object = afterwards(object, outcome);
  }
  return outcomes;
}

function targetsFor(object: JsonObject, targets: readonly FloorTarget[]): FloorTarget[] {
  const group = groupOf(textAt(object, 'apiVersion') ?? '');
  const kind = textAt(object, 'kind');
  return targets.filter(({ kinds }) => kinds.some((of) => of.group === group && of.kind === kind));
}

/** Only a target that mutates writes. */
function afterwards(object: JsonObject, outcome: FloorOutcome): JsonObject {
  if (outcome.kind === 'skip' || outcome.action !== 'mutate') return object;
  const applied = applyOperations(
    object,
    outcome.checks.flatMap(({ operations }) => operations),
  );
  return applied.ok ? applied.object : object;
}
