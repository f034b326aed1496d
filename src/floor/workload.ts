import { at, isBeingDeleted, type JsonObject, listAt } from '../object/object.ts';
import { applyOperations } from './apply.ts';
import { nameOf } from './container.ts';
import { floorOf } from './curve.ts';
import type { FloorCheck, FloorContext, FloorOutcome, FloorSettings, FloorSubject } from './floor.ts';
import { initLimitChecks } from './init-limits.ts';
import type { AbsentLimit } from './limit.ts';
import { qosClassOf } from './qos.ts';
import { judgeRequirements } from './requirements.ts';

/** Where the apps kinds keep the spec of the pods that they make. */
export const POD_SPEC = ['spec', 'template', 'spec'] as const;

const WITHOUT_LIMIT: AbsentLimit = { bytes: null, because: 'no limit is set, and addMissing is off' };
const ADD_MISSING: AbsentLimit = {
  bytes: 0n,
  because: 'addMissing gives a limit to a container without one',
};

/** What a target says of the containers that it found. */
export interface ContainerQuestion {
  readonly target: string;
  readonly subject: FloorSubject;
  /** Places in the pod spec's containers; at least one. */
  readonly containers: readonly number[];
  readonly settings: FloorSettings;
  readonly context: FloorContext;
  /** What is particular about one of them; said beside its check. */
  readonly notesOn?: (container: unknown, floor: bigint) => readonly string[];
}

/** Pods that the floor is computed for: as many as the daemon can have in flight at once. */
export function podsInFlight(settings: FloorSettings, context: FloorContext): number {
  const { density, connectionLimit } = context;
  const isBounded = settings.burst === 'connectionLimit' && connectionLimit != null;
  return isBounded ? Math.min(connectionLimit, density.pods) : density.pods;
}

/** Holds containers of a workload's pods against the target's floor. */
export function judgeContainers(question: ContainerQuestion): FloorOutcome {
  const { target, subject, settings, context } = question;
  const { object } = subject;
  if (isBeingDeleted(object)) return skip(target, 'it is being deleted');
  const floor = floorOf(settings.curve, podsInFlight(settings, context));
  const stored = storedContainers(subject);
  const checks: FloorCheck[] = [];
  for (const index of question.containers) {
    const verdict = checkContainer(question, index, floor, stored);
    if (!verdict.ok) return skip(target, verdict.reason);
    checks.push(verdict.check);
  }
  if (settings.initLimits && checks.some(({ wanted }) => wanted !== null)) {
    checks.push(...initLimitChecks(subject, target, POD_SPEC));
  }
  const [changed] = checks.filter(({ operations }) => operations.length > 0);
  // A container's limit may not be over its pod's, and what the pod's should be is for its author to say.
  if (changed !== undefined && at(object, ...POD_SPEC, 'resources') != null) {
    const reason = 'the pod template sets resources for the pod as a whole';
    return { kind: 'skip', target, reason, warning: `${changed.field} is left as it is: ${reason}` };
  }
  return { kind: 'check', target, action: settings.action, checks: withQosNote(object, checks) };
}

function checkContainer(
  { target, subject, settings, context, notesOn }: ContainerQuestion,
  index: number,
  floor: bigint,
  storedByName: ReadonlyMap<unknown, unknown>,
) {
  const container = at(subject.object, ...POD_SPEC, 'containers', index);
  const name = nameOf(container, index);
  const stored = storedByName.get(at(container, 'name'));
  const verdict = judgeRequirements(
    target,
    {
      object: subject.object,
      path: [...POD_SPEC, 'containers', index, 'resources'],
      field: `${POD_SPEC.join('.')}.containers[${name}].resources`,
      stored: at(stored, 'resources'),
    },
    {
      floor,
      stickyPercent: context.stickyPercent,
      requests: settings.requests,
      absent: settings.addMissing ? ADD_MISSING : WITHOUT_LIMIT,
    },
  );
  if (!verdict.ok) return verdict;
  const notes = [...requestNotes(container, verdict.check), ...(notesOn?.(container, floor) ?? [])];
  return { ok: true as const, check: { ...verdict.check, notes } };
}

/** Containers are known by name, for their places may change. */
function storedContainers({ operation, oldObject }: FloorSubject): ReadonlyMap<unknown, unknown> {
  if (operation !== 'UPDATE') return new Map();
  const containers = listAt(oldObject, ...POD_SPEC, 'containers');
  return new Map(
    containers.flatMap((container) => {
      const name = at(container, 'name');
      return name === undefined ? [] : [[name, container]];
    }),
  );
}

function requestNotes(container: unknown, check: FloorCheck): string[] {
  const hasRequest = at(container, 'resources', 'requests', 'memory') != null;
  const writesRequest = check.operations.some(({ path }) => path.endsWith('/requests/memory'));
  return check.operations.length === 0 || hasRequest || writesRequest
    ? []
    : ['no memory request is written, so Kubernetes requests as much as the limit'];
}

/** The class follows from the whole pod, so it is said once. */
function withQosNote(object: JsonObject, checks: readonly FloorCheck[]): FloorCheck[] {
  const applied = applyOperations(
    object,
    checks.flatMap(({ operations }) => operations),
  );
  const qos = qosClassOf(at(applied.ok ? applied.object : object, ...POD_SPEC));
  if (qos.kind === 'podLevel') return [...checks];
  const note = `the pods' QoS class is ${qos.kind}${qos.kind === 'Burstable' ? `: ${qos.because}` : ''}`;
  return checks.map((check, index) => (index === 0 ? { ...check, notes: [...check.notes, note] } : check));
}

function skip(target: string, reason: string): FloorOutcome {
  return { kind: 'skip', target, reason, warning: null };
}
