import { addAbortSignal, type Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import type { JsonObject } from '../../object/object.ts';
import { type Terminal, UsageError } from '../command.ts';
import {
  type BrokenManifest,
  findFiles,
  type Manifests,
  parseManifests,
  readManifestFile,
} from '../manifests.ts';

/** One object to judge, with the place that it was read from; nulls for the cluster. */
export interface Subject {
  readonly object: JsonObject;
  readonly oldObject: JsonObject | null;
  readonly operation: 'CREATE' | 'UPDATE';
  /** Of the request, where there was one: the object need not name it. */
  readonly namespace: string | null;
  readonly file: string | null;
  readonly line: number | null;
}

export interface Inputs {
  readonly subjects: readonly Subject[];
  readonly broken: readonly BrokenManifest[];
  readonly ignored: number;
}

/** Everything in the files and folders named, and on standard input where `-` is among them. Throws UsageError. */
export async function readInputs(paths: readonly string[], terminal: Terminal): Promise<Inputs> {
  const files = await findFiles(paths.filter((path) => path !== '-'));
  const parts: Manifests[] = [];
  for (const file of files) parts.push(await readManifestFile(file));
  if (paths.includes('-')) parts.push(parseManifests(await readInput(terminal), '-'));
  return {
    subjects: parts.flatMap(({ manifests }) => manifests),
    broken: parts.flatMap(({ broken }) => broken),
    ignored: parts.reduce((sum, { ignored }) => sum + ignored, 0),
  };
}

async function readInput({ stdin, signal }: Terminal): Promise<string> {
  try {
    // A terminal may never end its input.
    return await readAll(addAbortSignal(signal, stdin as Readable));
  } catch (error) {
    if (signal.aborted) throw new UsageError('interrupted while standard input was read');
    throw error;
  }
}
