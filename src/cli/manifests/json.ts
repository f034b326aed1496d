import { listAt } from '../../object/object.ts';
import type { Manifests } from '../manifests.ts';
import { unfold } from './unfold.ts';

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
  const first = lineAt(text, 0, start) + 1;
  const lines = itemLines(text, listAt(value, 'items').length);
  return {
    manifests: (found ?? []).map(({ path: [item], ...manifest }) => ({
      ...manifest,
      file,
      line: (item === undefined ? undefined : lines?.[item]) ?? first,
    })),
    broken: [],
    ignored: found === null ? 1 : 0,
  };
}

/**
 * The lines of a List's items where it is indented as kubectl and every other printer does it: each begins a line of its
 * own, which no line of an item's inside looks like. Null where it is not.
 */
function itemLines(text: string, count: number): number[] | null {
  const opening = /^(\s*)"items": ?\[\n(\s*)\{/m.exec(text);
  if (count === 0 || opening === null) return null;
  const start = `\n${opening[2]}{`;
  const lines: number[] = [];
  let line = 1;
  let from = 0;
  let found = text.indexOf(start, opening.index);
  while (found >= 0) {
    line += lineAt(text, from, found + 1);
    lines.push(line);
    from = found + 1;
    found = text.indexOf(start, from);
  }
  return lines.length === count ? lines : null;
}

/** Line breaks from `from` to before `to`. */
function lineAt(text: string, from: number, to: number): number {
  let breaks = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) breaks += 1;
  return breaks;
}
