import { listAt, textAt } from '../object/object.ts';

/** An RFC 1123 label, which is what Kubernetes lets a container be called. */
const CONTAINER_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** A character that makes what stands beside it another word: `multus-daemon-config` is not `multus-daemon`. */
const WORD = /[\w.-]/;

/** The container's name; its place in the list where the name is missing or is none. */
export function nameOf(container: unknown, index: number): string {
  const name = textAt(container, 'name');
  return name !== undefined && CONTAINER_NAME.test(name) ? name : String(index);
}

/** Whether its command or arguments name the program, by itself, by a path that ends in it, or inside a shell script. */
export function runs(container: unknown, program: string): boolean {
  return ['command', 'args']
    .flatMap((list) => listAt(container, list))
    .some((text) => typeof text === 'string' && namesProgram(text, program));
}

export function hasCommand(container: unknown): boolean {
  return listAt(container, 'command').length > 0;
}

/** An image reference taken apart. */
export interface ImageName {
  /** Registry and path, without tag and digest. */
  readonly repository: string;
  /** The last segment of the repository. */
  readonly name: string;
  /** Empty where there is none. */
  readonly tag: string;
}

export function imageOf(container: unknown): ImageName {
  const reference = (textAt(container, 'image') ?? '').split('@', 1)[0]!;
  const start = reference.lastIndexOf('/') + 1;
  const colon = reference.indexOf(':', start);
  const end = colon === -1 ? reference.length : colon;
  return {
    repository: reference.slice(0, end),
    name: reference.slice(start, end),
    tag: reference.slice(end + 1),
  };
}

function namesProgram(text: string, program: string): boolean {
  for (
    let found = text.indexOf(program);
    found !== -1;
    found = text.indexOf(program, found + program.length)
  ) {
    const before = text.charAt(found - 1);
    const after = text.charAt(found + program.length);
    if (!WORD.test(before) && !WORD.test(after) && after !== '/') return true;
  }
  return false;
}
