import { type Document, isMap, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import type { BrokenManifest, Manifest, Manifests } from '../manifests.ts';
import { unfold } from './unfold.ts';

/** A file that unfolds to more nodes by its aliases is an attack. */
const MAX_ALIASES = 1000;

/** The objects of a YAML stream; documents that are broken do not hide the others. */
export function parseYaml(text: string, file: string): Manifests {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, merge: true });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const manifests: Manifest[] = [];
  const broken: BrokenManifest[] = [];
  let ignored = 0;
  for (const document of 'empty' in documents ? [] : documents) {
    const read = readDocument(document);
    if (!read.ok) {
      broken.push({ file, line: lineAt(read.offset), problem: read.problem });
      continue;
    }
    // What separates documents may well separate nothing.
    if (read.value === null || read.value === undefined) continue;
    const found = unfold(read.value);
    if (found === null) ignored += 1;
    for (const { path, ...manifest } of found ?? [])
      manifests.push({ ...manifest, file, line: lineAt(offsetOf(document.contents, path)) });
  }
  return { manifests, broken, ignored };
}

type ReadDocument =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly offset: number };

function readDocument(document: Document.Parsed): ReadDocument {
  const [error] = document.errors;
  if (error)
    return { ok: false, problem: error.message.split('\n')[0]!.replace(/:$/, ''), offset: error.pos[0] };
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: MAX_ALIASES }) };
  } catch (error) {
    return { ok: false, problem: (error as Error).message, offset: offsetOf(document.contents, []) };
  }
}

/** Where the item at `path` begins; where it is not written out, the list around it. */
function offsetOf(contents: Node | null, path: readonly number[]): number {
  let node = contents;
  for (const index of path) {
    const items = isMap(node) ? node.get('items') : undefined;
    if (!isSeq(items)) break;
    node = items.items[index] as Node;
  }
  return node?.range?.[0] ?? 0;
}
