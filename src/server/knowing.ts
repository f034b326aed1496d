import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Metrics } from '../admission/metrics.ts';
import type { Settings } from '../config/settings.ts';
import type { Density } from '../density/density.ts';
import { planningDensity } from '../density/planning.ts';
import type { World } from '../evaluate/world.ts';
import { type Connection, connectCluster } from '../kube/client.ts';
import { systemClock } from '../kube/clock.ts';
import { followImportSources } from '../kube/import-sources.ts';
import { type ClusterSnapshot, startKnowledge } from '../kube/knowledge.ts';
import { DEFAULT_STORAGE } from '../volume/facts.ts';

/** What a verdict needs to know of the cluster, whether or not one is read. */
export interface Knowing {
  readonly current: () => Pick<World, 'storage' | 'density' | 'connectionLimit' | 'findImportSource'>;
  /** What is missing, in words. */
  readonly ready: () => readonly string[];
  readonly isLeader: () => boolean;
  /** Null where no cluster is read. */
  readonly connection: Connection | null;
  readonly stop: () => Promise<void>;
}

/** The density that holds where no cluster is read. */
export function unreadDensity({ density: { statistic, fixed, minimum } }: Settings): Density {
  return statistic === 'fixed'
    ? planningDensity({ statistic, pods: fixed ?? minimum })
    : planningDensity({ statistic, minimum, marks: new Map() });
}

function knowNothing(settings: () => Settings, metrics: Metrics): Knowing {
  metrics.onCollect(() => {
    const { origin, pods } = unreadDensity(settings());
    metrics.densityPods.reset();
    metrics.densityPods.set({ origin }, pods);
  });
  return {
    current: () => ({ storage: DEFAULT_STORAGE, density: unreadDensity(settings()), connectionLimit: null }),
    ready: () => [],
    isLeader: () => false,
    connection: null,
    stop: async () => {},
  };
}

function setDensity({ densityPods }: Metrics, { origin, pods }: Density): void {
  densityPods.reset();
  densityPods.set({ origin }, pods);
}

/** Taken when the metrics are asked for: an age that is only set by the loop would stand still with it. */
function collect(metrics: Metrics, snapshot: () => ClusterSnapshot): void {
  metrics.onCollect(() => {
    const { ageMs, density, isLeader } = snapshot();
    for (const [part, age] of Object.entries(ageMs))
      if (age !== null) metrics.clusterAge.set({ part }, age / 1000);
    setDensity(metrics, density);
    metrics.leader.set(isLeader ? 1 : 0);
  });
}

/** Reads the cluster where the configuration says so. Throws KubeError where there is none to connect to. */
export async function startKnowing(
  settings: () => Settings,
  version: string,
  metrics: Metrics,
  logger: Logger,
): Promise<Knowing> {
  const { cluster, volumeSize } = settings().configuration;
  if (!cluster.enabled) return knowNothing(settings, metrics);
  const connection = await connectCluster({ kind: 'kubeconfig' }, `plimsoll/${version}`);
  const polling = {
    api: connection.api,
    intervalMs: cluster.pollSeconds * 1000,
    jitter: Math.random,
    clock: systemClock,
    observe: ({ what, error }: { readonly what: string; readonly error: Error | null }) => {
      metrics.clusterReads.inc({ part: what, outcome: error === null ? 'ok' : 'failed' });
      if (error !== null) logger.warn({ part: what, err: error }, 'the cluster could not be read');
    },
  };
  const importSources = volumeSize.importClaims ? followImportSources(polling) : null;
  const knowledge = startKnowledge({
    ...polling,
    namespace: cluster.namespace,
    identity: `${hostname()}_${randomUUID()}`,
    planning: () => settings().density,
    multusNamespaces: cluster.multusNamespaces,
  });
  collect(metrics, knowledge.current);
  return {
    current: () => ({
      ...knowledge.current(),
      ...(importSources === null ? {} : { findImportSource: importSources.find }),
    }),
    ready: knowledge.ready,
    isLeader: () => knowledge.current().isLeader,
    connection,
    stop: async () => {
      importSources?.stop();
      await knowledge.stop();
      await connection.close();
    },
  };
}
