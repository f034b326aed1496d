import { listAt } from '../../object/object.ts';
import type { Manifests } from '../manifests.ts';
import { unfold } from './unfold.ts';

/** Where a List's items begin, and how they are indented. */
const OPENING = /^\s*"items": ?\[\n(\s*)\{/m;
/** What may stand before them. */
const MAX_HEAD = 4096;

/** The objects of a text that is one JSON document; null where it is none. JSON.parse is far faster than any YAML parser. */
export function parseJson(text: string, file: string): Manifests | null {
  const start = text.search(/\S/);
  if (text[start] !== '{' && text[start] !== '[') return null;
  let value: unknown;
  try {
    value = JSON.parse(start === 0 ? text : text.slice(start));
  } catch {
    // Many documents, YAML that begins with a brace, or broken: the other parser tells.
    return null;
  }
  const found = unfold(value);
  const first = text.slice(0, start).split('\n').length;
  const lines = itemLines(text, listAt(value, 'items').length);
  return {
    manifests: (found ?? []).map(({ object, oldObject, operation, namespace, path: [item] }) => {
      const line = item === undefined ? undefined : lines?.[item];
      return { object, oldObject, operation, namespace, file, line: line ?? first };
    }),
    broken: [],
    ignored: found === null ? 1 : 0,
  };
}

/**
 * The lines of a List's items where it is indented as kubectl and every other printer does it: each begins a line of its
 * own, which no line of an item's inside looks like. Null where it is not.
 */
function itemLines(text: string, count: number): number[] | null {
  const indent = OPENING.exec(text.slice(0, MAX_HEAD))?.[1];
  if (count === 0 || indent === undefined) return null;
  const lines: number[] = [];
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    line += 1;
    const start = at + 1;
    // The character first: most lines are told from it alone.
    if (text[start + indent.length] === '{' && text.startsWith(indent, start)) lines.push(line);
  }
  return lines.length === count ? lines : null;
}
