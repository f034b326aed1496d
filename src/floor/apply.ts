import { isObject, type JsonObject } from '../object/object.ts';
import type { PatchOperation } from './floor.ts';
import { parsePointer } from './pointer.ts';

export type ApplyFault = 'bad-pointer' | 'missing-parent' | 'missing-member' | 'not-an-object';

export type ApplyResult =
  | { readonly ok: true; readonly object: JsonObject }
  | { readonly ok: false; readonly fault: ApplyFault; readonly operation: PatchOperation };

type Step =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: ApplyFault };

/** RFC 6901 section 4: digits without leading zeros. */
const LIST_INDEX = /^(?:0|[1-9][0-9]{0,8})$/;

/** What the API server makes of the object (RFC 6902 `add` and `replace`), in order. The object itself is not changed. */
export function applyOperations(object: JsonObject, operations: readonly PatchOperation[]): ApplyResult {
  let here: JsonObject = object;
  const copies: Copies = new Set();
  for (const operation of operations) {
    const steps = parsePointer(operation.path);
    const next: Step = steps === null ? fault('bad-pointer') : put(here, steps, operation, copies);
    if (!next.ok) return { ok: false, fault: next.fault, operation };
    if (!isObject(next.value)) return { ok: false, fault: 'not-an-object', operation };
    here = next.value;
  }
  return { ok: true, object: here };
}

/**
 * Objects and lists that were copied already: they are changed in place. Were they copied again, a patch of thousands of
 * containers would take minutes.
 */
type Copies = Set<unknown>;

function put(container: unknown, steps: readonly string[], operation: PatchOperation, copies: Copies): Step {
  const [step, ...rest] = steps;
  if (step === undefined) return { ok: true, value: operation.value };
  if (Array.isArray(container)) return putInList(container, step, rest, operation, copies);
  if (!isObject(container)) return fault('missing-parent');
  const isPresent = Object.hasOwn(container, step);
  if (!isPresent && rest.length > 0) return fault('missing-parent');
  if (!isPresent && operation.op === 'replace') return fault('missing-member');
  const member = put(isPresent ? container[step] : undefined, rest, operation, copies);
  if (!member.ok) return member;
  const copy = copied(container, () => ({ ...container }), copies);
  // Defined, not assigned: a member of its own, even one that is called __proto__.
  Object.defineProperty(copy, step, {
    value: member.value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
  return { ok: true, value: copy };
}

function copied<T extends object>(container: T, copy: () => T, copies: Copies): T {
  if (copies.has(container)) return container;
  const made = copy();
  copies.add(made);
  return made;
}

function putInList(
  list: readonly unknown[],
  step: string,
  rest: readonly string[],
  operation: PatchOperation,
  copies: Copies,
): Step {
  const isInsertion = rest.length === 0 && operation.op === 'add';
  if (isInsertion && step === '-') return { ok: true, value: [...list, operation.value] };
  if (!LIST_INDEX.test(step)) return fault(step === '-' ? 'missing-member' : 'bad-pointer');
  const index = Number(step);
  if (isInsertion) {
    return index <= list.length
      ? { ok: true, value: list.toSpliced(index, 0, operation.value) }
      : fault('missing-member');
  }
  if (index >= list.length) return fault(rest.length > 0 ? 'missing-parent' : 'missing-member');
  const member = put(list[index], rest, operation, copies);
  if (!member.ok) return member;
  const copy = copied(list as unknown[], () => [...list], copies);
  copy[index] = member.value;
  return { ok: true, value: copy };
}

function fault(code: ApplyFault): Step {
  return { ok: false, fault: code };
}
