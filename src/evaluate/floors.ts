import { isDeepStrictEqual } from 'node:util';
import { applyOperations } from '../floor/apply.ts';
import type { FloorAction, FloorOutcome, PatchOperation } from '../floor/floor.ts';
import { judgeFloors } from '../floor/judge.ts';
import { parsePointer } from '../floor/pointer.ts';
import { at, isObject } from '../object/object.ts';
import { decide } from '../policy/decide.ts';
import { floorFindings, floorProperties } from '../policy/floor-findings.ts';
import type { Outcome } from '../policy/outcome.ts';
import { labelOf, referenceOf } from './subject.ts';
import type { Review, World } from './world.ts';

export interface FloorJudgement {
  readonly outcomes: readonly Outcome[];
  /** RFC 6902, of the targets that mutate and are not exempt; known to apply to the object as sent. */
  readonly operations: readonly PatchOperation[];
  /**
   * Targets whose operations only bring back what is stored: somebody wrote the lower value again. Once is a manifest
   * that is applied again, and often is a controller that is never done.
   */
  readonly contended: readonly string[];
}

/** Whether every value that is written stands where it is written to already. */
function bringsBack(operations: readonly PatchOperation[], { oldObject }: Review): boolean {
  const values = operations.filter(({ value }) => !isObject(value));
  return (
    oldObject !== null &&
    values.length > 0 &&
    values.every(({ path, value }) => isDeepStrictEqual(at(oldObject, ...(parsePointer(path) ?? [])), value))
  );
}

function passes(outcome: FloorOutcome, label: string, world: World): Outcome[] {
  if (outcome.kind === 'skip')
    return [
      {
        kind: 'skip',
        policy: 'memory-floor',
        rule: outcome.target,
        field: '',
        message: `${label}: not judged: ${outcome.reason}`,
        warning: outcome.warning === null ? null : `${label}: ${outcome.warning}`,
        properties: { reason: outcome.reason },
      },
    ];
  return outcome.checks.map((check) => ({
    kind: 'pass',
    policy: 'memory-floor',
    rule: check.target,
    field: check.field,
    message: [`${label}: ${check.field} is ${check.limit?.text ?? 'not set'}`, check.because, ...check.notes]
      .filter((part) => part !== null)
      .join('; '),
    warning: null,
    properties: floorProperties(check, world.density),
  }));
}

/**
 * The object's memory limits held against their floors, of those targets whose action `concerns` the asker.
 * Empty where it has none that a target knows.
 */
export function judgeMemory(
  review: Review,
  world: World,
  concerns: (action: FloorAction) => boolean = () => true,
): FloorJudgement {
  const { settings, density, connectionLimit, now } = world;
  const { object, oldObject, operation } = review;
  const reference = referenceOf(review);
  const label = labelOf(reference);
  const judged = judgeFloors(
    { object, oldObject, operation },
    {
      targets: settings.floorTargets,
      settings: new Map([...settings.floorSettings].filter(([, { action }]) => concerns(action))),
      density,
      stickyPercent: settings.stickyPercent,
      connectionLimit,
    },
  );
  const operations: PatchOperation[] = [];
  const contended: string[] = [];
  const outcomes = judged.flatMap((outcome): Outcome[] => {
    const found = decide(floorFindings(outcome, density, label), object, reference, settings.decisions, now);
    const isExempt = found.some(({ exemption }) => exemption !== null);
    if (outcome.kind === 'check' && outcome.action === 'mutate' && !isExempt) {
      const writes = outcome.checks.flatMap((check) => check.operations);
      operations.push(...writes);
      if (bringsBack(writes, review)) contended.push(outcome.target);
    }
    if (found.length === 0) return passes(outcome, label, world);
    return found.map((decided) => ({ kind: 'finding', ...decided }));
  });
  // A patch that the API server cannot apply would fail the write whatever the failurePolicy: rather none at all.
  return applyOperations(object, operations).ok
    ? { outcomes, operations, contended }
    : { outcomes, operations: [], contended: [] };
}
