import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { UsageError } from './command.ts';
import { parseJson } from './manifests/json.ts';
import type { Unfolded } from './manifests/unfold.ts';
import { parseYaml } from './manifests/yaml.ts';

/** One object of a manifest, with the place where it begins. */
export interface Manifest extends Omit<Unfolded, 'path'> {
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
  return parseJson(text, file) ?? parseYaml(text, file);
}
