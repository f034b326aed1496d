import type { Density } from '../density/density.ts';
import { planningDensity } from '../density/planning.ts';
import { DEFAULT_STORAGE } from '../volume/facts.ts';
import type { StorageFacts } from '../volume/volume.ts';
import type { KubeApi } from './api.ts';
import type { Clock } from './clock.ts';
import type { PodsByNode } from './density.ts';
import { KubeError } from './failures.ts';
import { Lease } from './lease.ts';
import type { CountedStatistic } from './marks.ts';
import { MarksKeeper } from './marks-keeper.ts';
import { readConnectionLimit } from './multus.ts';
import { type Poll, type PollEvent, startPolling } from './poll.ts';
import { readStorage } from './storage.ts';

export type KnowledgePart = 'storage' | 'density' | 'connectionLimit';

/** What the planning density follows; `fixed` in pods, for that statistic alone. */
export interface PlanningSettings {
  readonly statistic: CountedStatistic | 'fixed';
  readonly fixed: number | null;
  readonly minimum: number;
}

export interface KnowledgeOptions {
  readonly api: KubeApi;
  /** Ours: where the marks and the Lease are. */
  readonly namespace: string;
  /** Of this process, and of no other. */
  readonly identity: string;
  /** Read anew each time: the configuration may change. */
  readonly planning: () => PlanningSettings;
  /** Where the Multus daemon's ConfigMap may be. */
  readonly multusNamespaces: readonly string[];
  /** Between two readings of each part. */
  readonly intervalMs: number;
  /** From 0 to under 1. */
  readonly jitter: () => number;
  readonly clock: Clock;
  /** Told of every reading, for logs and metrics. */
  readonly observe: (event: PollEvent<KnowledgePart>) => void;
}

/** What is known of the cluster at one moment; the parts themselves never change. */
export interface ClusterSnapshot {
  /** The defaults until it was read. */
  readonly storage: StorageFacts;
  /** The configured minimum until it was read. */
  readonly density: Density;
  readonly connectionLimit: number | null;
  /** Milliseconds since each part was last read; null where it never was. */
  readonly ageMs: Readonly<Record<KnowledgePart, number | null>>;
  /** Marks by node that the density follows; null for `fixed`, and until they were read. */
  readonly marks: PodsByNode | null;
  /** Kinds that may not be read, for want of a right. */
  readonly forbidden: readonly string[];
  /** False where the API server is too old to leave out the pods of the host network. */
  readonly withoutHostNetwork: boolean;
  /** Whether this process counts, and may write. */
  readonly isLeader: boolean;
}

export interface Knowledge {
  readonly current: () => ClusterSnapshot;
  /** What has not been read even once, in words; empty when all is there. Old readings are no lack: see `ageMs`. */
  readonly ready: () => string[];
  /** Ends the loops and gives up the Lease; never rejects. */
  readonly stop: () => Promise<void>;
}

/** Of the interval: a pass that takes longer has failed. */
const DEADLINE_SHARE = 0.8;
/** Times the interval: one reading may fail without the lead being lost. */
const LEASE_INTERVALS = 2.5;
/** Whole nodes are 10 to 20 kB each, and what they offer hardly ever changes. */
const ALLOCATABLE_INTERVALS = 2;
const RELEASE_MS = 5000;

/** Begins to read the cluster, and goes on until it is stopped. Nothing that fails is thrown. */
export function startKnowledge(options: KnowledgeOptions): Knowledge {
  const { api, namespace, identity, planning, multusNamespaces, intervalMs, clock } = options;
  const stopping = new AbortController();
  const lease = new Lease({ api, namespace, identity, clock, durationMs: LEASE_INTERVALS * intervalMs });
  const keeper = new MarksKeeper(api, namespace, lease);
  let storage = DEFAULT_STORAGE;
  let forbidden: readonly string[] = [];
  let connectionLimit: number | null = null;

  const common = {
    deadlineMs: DEADLINE_SHARE * intervalMs,
    intervalMs: () => intervalMs,
    jitter: options.jitter,
    clock,
    signal: stopping.signal,
    observe: options.observe,
  };
  const polls: Readonly<Record<KnowledgePart, Poll>> = {
    storage: startPolling({
      ...common,
      name: 'storage',
      run: async (pass) => {
        const reading = await readStorage(api, pass);
        storage = reading.facts;
        forbidden = reading.forbidden;
      },
    }),
    density: startPolling({
      ...common,
      name: 'density',
      intervalMs: () => intervalMs * (planning().statistic === 'allocatable' ? ALLOCATABLE_INTERVALS : 1),
      run: async (pass) => {
        const { statistic } = planning();
        // Someone leads, whatever is counted.
        if (statistic === 'fixed') await lease.renew(pass);
        else await keeper.refresh(statistic, pass);
      },
    }),
    connectionLimit: startPolling({
      ...common,
      name: 'connectionLimit',
      run: async (pass) => {
        connectionLimit = await readConnectionLimit(api, multusNamespaces, pass);
      },
    }),
  };
  const age = ({ readAt }: Poll) => {
    const at = readAt();
    return at === null ? null : Math.max(0, clock.now() - at);
  };

  return {
    current: () => {
      const settings = planning();
      const marks = settings.statistic === 'fixed' ? null : keeper.marks(settings.statistic);
      return {
        storage,
        density: densityOf(settings, marks),
        connectionLimit,
        ageMs: {
          storage: age(polls.storage),
          density: age(polls.density),
          connectionLimit: age(polls.connectionLimit),
        },
        marks,
        forbidden,
        withoutHostNetwork: keeper.withoutHostNetwork,
        isLeader: lease.isHeld(),
      };
    },
    ready: () => {
      const { statistic } = planning();
      return [
        ...(polls.storage.readAt() === null ? [missing('the storage of the cluster', polls.storage)] : []),
        ...(statistic !== 'fixed' && keeper.marks(statistic) === null
          ? [missing('the pods of the nodes', polls.density)]
          : []),
      ];
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(Object.values(polls).map(({ ended }) => ended));
      const signal = AbortSignal.timeout(RELEASE_MS);
      await lease.release({ clock, deadline: clock.now() + RELEASE_MS, signal }).catch(() => {});
    },
  };
}

/** The planning density that follows from marks; null where none are known. */
export function densityOf(
  { statistic, fixed, minimum }: PlanningSettings,
  marks: PodsByNode | null,
): Density {
  return statistic === 'fixed'
    ? planningDensity({ statistic, pods: fixed ?? minimum })
    : planningDensity({ statistic, minimum, marks: marks ?? new Map() });
}

function missing(what: string, poll: Poll): string {
  const error = poll.error();
  if (error === null) return `${what}: not read yet`;
  return `${what}: ${error instanceof KubeError ? error.message : 'an error of our own'}`;
}
