import { objectAt } from '../object/object.ts';
import { floorOf } from './curve.ts';
import type { FloorContext, FloorOutcome, FloorSettings, FloorSubject } from './floor.ts';
import type { LimitRule } from './limit.ts';
import { judgeRequirements, type RequirementsVerdict } from './requirements.ts';

/** CDI's default for the pods that import, upload and clone: 600M. */
const CDI_DEFAULT = 600_000_000n;

/** Where a custom resource keeps the requirements of the pods that import, upload and clone. */
export interface StorageWorkloads {
  readonly target: string;
  readonly path: readonly string[];
  readonly notes: readonly string[];
}

/** Holds their memory limit against the floor for the density; a missing one is CDI's default. */
export function judgeStorageWorkloads(
  workloads: StorageWorkloads,
  subject: FloorSubject,
  settings: FloorSettings,
  context: FloorContext,
): FloorOutcome {
  const { target } = workloads;
  const verdict = checkStorageWorkloads(workloads, subject, settings, context);
  if (!verdict.ok) return { kind: 'skip', target, reason: verdict.reason, warning: null };
  return {
    kind: 'check',
    target,
    action: settings.action,
    checks: [{ ...verdict.check, notes: workloads.notes }],
  };
}

export function checkStorageWorkloads(
  { target, path }: StorageWorkloads,
  { object, oldObject, operation }: FloorSubject,
  settings: FloorSettings,
  context: FloorContext,
): RequirementsVerdict {
  const rule: LimitRule = {
    floor: floorOf(settings.curve, context.density.pods),
    stickyPercent: context.stickyPercent,
    requests: settings.requests,
    absent: { bytes: CDI_DEFAULT, because: 'CDI takes 600M where none is set' },
  };
  const stored = operation === 'UPDATE' ? objectAt(oldObject, ...path) : undefined;
  return judgeRequirements(target, { object, path, field: path.join('.'), stored }, rule);
}
