import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isMap, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import { at, isObject, type JsonObject, listAt, objectAt, textAt } from '../object/object.ts';
import { UsageError } from './command.ts';

/** One object of a manifest, with the place where it begins. An AdmissionReview stands for the object that it carries. */
export interface Manifest {
  readonly object: JsonObject;
  readonly oldObject: JsonObject | null;
  readonly operation: 'CREATE' | 'UPDATE';
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
}

/** A document that could not be read. */
export interface BrokenManifest {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
}

export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly broken: readonly BrokenManifest[];
  /** Documents that are no Kubernetes objects. */
  readonly ignored: number;
}

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);
/** A file that unfolds to more nodes by its aliases is an attack. */
const MAX_ALIASES = 1000;

/** Files named, and those of folders named, by their names; hidden ones are left out of folders. Throws UsageError. */
export async function findFiles(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
        throw new UsageError(
          `${path}: ${error.code === 'ENOENT' ? 'no such file or folder' : `cannot be read (${error.code})`}`,
        );
      });
      if (!info.isDirectory()) return [path];
      const names = await readdir(path, { recursive: true });
      return names
        .filter(
          (name) => EXTENSIONS.has(extname(name)) && !name.split('/').some((part) => part.startsWith('.')),
        )
        .sort()
        .map((name) => join(path, name));
    }),
  );
  return found.flat();
}

/** Reads one file. Throws UsageError where it cannot be read. */
export async function readManifestFile(file: string): Promise<Manifests> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file}: cannot be read (${error.code})`);
  });
  return parseManifests(text, file);
}

/** Every object of a YAML stream or JSON text; lists are opened, broken documents do not hide the others. */
export function parseManifests(text: string, file: string): Manifests {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, merge: true });
  const manifests: Manifest[] = [];
  const broken: BrokenManifest[] = [];
  let ignored = 0;
  for (const document of 'empty' in documents ? [] : documents) {
    const error = document.errors[0];
    if (error) {
      broken.push({
        file,
        line: lines.linePos(error.pos[0]).line,
        problem: error.message.split('\n')[0]!.replace(/:$/, ''),
      });
      continue;
    }
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: MAX_ALIASES });
    } catch (error) {
      const line = lines.linePos(document.contents?.range?.[0] ?? 0).line;
      broken.push({ file, line, problem: (error as Error).message });
      continue;
    }
    if (value === null || value === undefined) continue;
    const found = unfold(
      value,
      document.contents,
      (node) => (node?.range ? lines.linePos(node.range[0]).line : 1),
      file,
    );
    if (found.length === 0) ignored += 1;
    manifests.push(...found);
  }
  return { manifests, broken, ignored };
}

type LineOf = (node: Node | null | undefined) => number;

function unfold(value: unknown, node: Node | null, lineOf: LineOf, file: string): Manifest[] {
  if (!isObject(value)) return [];
  const kind = textAt(value, 'kind');
  const apiVersion = textAt(value, 'apiVersion');
  if (kind === undefined || apiVersion === undefined) return [];
  if (kind.endsWith('List') && Array.isArray(at(value, 'items'))) {
    const items = isMap(node) ? node.get('items') : undefined;
    return listAt(value, 'items').flatMap((item, index) =>
      unfold(item, isSeq(items) ? (items.items[index] as Node) : node, lineOf, file),
    );
  }
  const line = lineOf(node);
  if (kind === 'AdmissionReview') {
    const object = objectAt(value, 'request', 'object');
    const oldObject = objectAt(value, 'request', 'oldObject') ?? null;
    return object ? [{ object, oldObject, operation: oldObject ? 'UPDATE' : 'CREATE', file, line }] : [];
  }
  return [{ object: value, oldObject: null, operation: 'CREATE', file, line }];
}
