import { at, type JsonObject } from '../object/object.ts';
import type { FloorCheck } from './floor.ts';
import { judgeLimit, type LimitRule, type MemoryValues } from './limit.ts';
import type { Path } from './pointer.ts';
import { obstacleTo, operationsFor, type Write } from './write.ts';

/** A Kubernetes ResourceRequirements somewhere in an object. */
export interface Requirements {
  readonly object: JsonObject;
  readonly path: Path;
  /** The path in words, for people. */
  readonly field: string;
  /** The same requirements as the cluster holds them; null where it holds none. */
  readonly stored: unknown;
}

export type RequirementsVerdict =
  | { readonly ok: true; readonly check: FloorCheck }
  /** `reason` names the field and never its value. */
  | { readonly ok: false; readonly reason: string };

/** Holds the memory limit of some requirements against its floor. */
export function judgeRequirements(
  target: string,
  requirements: Requirements,
  rule: LimitRule,
): RequirementsVerdict {
  const { object, path, field } = requirements;
  const limitPath = [...path, 'limits', 'memory'];
  const requestPath = [...path, 'requests', 'memory'];
  if (obstacleTo(object, limitPath) !== null || obstacleTo(object, requestPath) !== null) {
    return { ok: false, reason: `${field} or what it lies in is not an object` };
  }
  const sent = { limit: at(object, ...limitPath), request: at(object, ...requestPath) };
  const verdict = judgeLimit(sent, storedValues(requirements.stored), rule);
  if (!verdict.ok) {
    return { ok: false, reason: `${field}.${verdict.value}s.memory cannot be read: ${verdict.reason}` };
  }
  const { limit, wanted, state, because, writes } = verdict;
  const values: readonly Write[] = [
    { path: limitPath, value: writes?.limit },
    { path: requestPath, value: writes?.request },
  ];
  return {
    ok: true,
    check: {
      target,
      field: `${field}.limits.memory`,
      floor: rule.floor,
      limit,
      wanted,
      state,
      because,
      operations: operationsFor(
        object,
        values.filter(({ value }) => value !== undefined),
      ),
      notes: [],
    },
  };
}

function storedValues(stored: unknown): MemoryValues {
  return { limit: at(stored, 'limits', 'memory'), request: at(stored, 'requests', 'memory') };
}
