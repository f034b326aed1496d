import { identify, type JsonObject } from '../object/object.ts';
import type { FindImportSource } from '../volume/read.ts';
import type { KubeApi } from './api.ts';
import type { Clock, Pass } from './clock.ts';
import { kubeErrorCode } from './failures.ts';
import { readObjects } from './paging.ts';
import { startPolling } from './poll.ts';

const TYPE = { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'VolumeImportSource' } as const;
const PATH = `/apis/${TYPE.apiVersion}/volumeimportsources`;
const A_PAGE = 250;

/** Finds VolumeImportSources among objects, by namespace and name. */
export function importSourcesAmong(objects: readonly JsonObject[]): FindImportSource {
  const found = new Map<string, JsonObject>();
  for (const object of objects) {
    const { kind, namespace, name } = identify(object);
    if (kind === TYPE.kind) found.set(`${namespace}/${name}`, object);
  }
  return (namespace, name) => found.get(`${namespace}/${name}`);
}

async function readImportSources(api: KubeApi, pass: Pass): Promise<FindImportSource> {
  try {
    return importSourcesAmong(await readObjects(api, { path: PATH, limit: A_PAGE }, TYPE, pass));
  } catch (error) {
    if (kubeErrorCode(error) === 'not-found') return importSourcesAmong([]);
    throw error;
  }
}

export interface ImportSourcesOptions {
  readonly api: KubeApi;
  readonly intervalMs: number;
  /** From 0 to under 1. */
  readonly jitter: () => number;
  readonly clock: Clock;
  readonly observe: (event: { readonly what: 'importSources'; readonly error: Error | null }) => void;
}

/** Keeps the VolumeImportSources of the cluster at hand: admission never asks the API server. */
export function followImportSources(options: ImportSourcesOptions): {
  readonly find: FindImportSource;
  readonly stop: () => void;
} {
  const { api, intervalMs, jitter, clock, observe } = options;
  const stopping = new AbortController();
  let find = importSourcesAmong([]);
  startPolling({
    name: 'importSources',
    intervalMs: () => intervalMs,
    deadlineMs: intervalMs,
    jitter,
    clock,
    signal: stopping.signal,
    run: async (pass) => {
      find = await readImportSources(api, pass);
    },
    observe,
  });
  return { find: (namespace, name) => find(namespace, name), stop: () => stopping.abort() };
}
