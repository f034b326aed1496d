import { at, isObject, type JsonObject } from '../object/object.ts';
import type { PatchOperation } from './floor.ts';
import { type Path, pointerTo } from './pointer.ts';

export interface Write {
  readonly path: Path;
  readonly value: unknown;
}

/** The first step of `path` at which something other than an object or a list stands in the way; null where none does. */
export function obstacleTo(object: JsonObject, path: Path): Path | null {
  for (let length = 1; length < path.length; length++) {
    const found = at(object, ...path.slice(0, length));
    if (found == null) return null;
    const isPassable = typeof path[length] === 'number' ? Array.isArray(found) : isObject(found);
    if (!isPassable) return path.slice(0, length);
  }
  return null;
}

/**
 * Operations that bring each value to its path, missing parents first; no path may lead through another's value.
 * Needs paths without an obstacle.
 */
export function operationsFor(object: JsonObject, writes: readonly Write[]): PatchOperation[] {
  const made = new Set<string>();
  return writes.flatMap(({ path, value }) => {
    const obstacle = obstacleTo(object, path);
    if (obstacle !== null) throw new UnwritableError(pointerTo(obstacle));
    const parents = missingParents(object, path).filter((parent) => !made.has(parent.path));
    for (const parent of parents) made.add(parent.path);
    return [...parents, set(object, path, value)];
  });
}

/** A path was written to without asking obstacleTo first. */
export class UnwritableError extends Error {
  readonly code = 'unwritable';
  constructor(pointer: string) {
    super(`${pointer} can have no members`);
  }
}

/** `null` is no parent: `add` puts an object in its place. */
function missingParents(object: JsonObject, path: Path): PatchOperation[] {
  return path
    .map((_, length) => path.slice(0, length))
    .filter((parent) => parent.length > 0 && at(object, ...parent) == null)
    .map((parent) => set(object, parent, {}));
}

function set(object: JsonObject, path: Path, value: unknown): PatchOperation {
  const isPresent = at(object, ...path) !== undefined;
  return { op: isPresent ? 'replace' : 'add', path: pointerTo(path), value };
}
