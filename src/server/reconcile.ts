import type { Metrics } from '../admission/metrics.ts';
import type { Settings } from '../config/settings.ts';
import { judgeMemory } from '../evaluate/floors.ts';
import type { World } from '../evaluate/world.ts';
import { applyOperations } from '../floor/apply.ts';
import type { KubeApi } from '../kube/api.ts';
import { type Clock, type Pass, systemClock } from '../kube/clock.ts';
import { KubeError } from '../kube/failures.ts';
import { startPolling } from '../kube/poll.ts';
import { type Rewriting, writeAgain } from '../kube/reconcile.ts';
import { ReconcilePace } from '../kube/reconcile-pace.ts';
import { readSubjects } from '../kube/subjects.ts';
import { identify, type JsonObject, type ObjectReference } from '../object/object.ts';
import type { Finding } from '../policy/finding.ts';

export interface ReconcilingOptions {
  readonly api: KubeApi;
  /** Taken anew for each object. */
  readonly world: () => World;
  /** Of all replicas one tells, and one writes. */
  readonly isLeader: () => boolean;
  readonly intervalMs: number;
  readonly metrics: Pick<Metrics, 'storedBelowFloor' | 'reconciles'>;
  readonly logger: Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>;
  readonly clock?: Clock;
}

export interface Reconciling {
  /** Never rejects. */
  readonly stop: () => Promise<void>;
}

/** A stored object with limits that its density has outgrown. */
interface Outgrown {
  readonly reference: ObjectReference;
  readonly findings: readonly Finding[];
}

/** Of the interval. */
const DEADLINE_SHARE = 0.8;

/**
 * Looks at the stored objects as long as this process leads: says which limits are below their floors, and writes those
 * objects again where memoryFloor.reconcile says so.
 */
export function startReconciling(options: ReconcilingOptions): Reconciling {
  const { api, world, isLeader, intervalMs, metrics, logger, clock = systemClock } = options;
  const stopping = new AbortController();
  const pace = new ReconcilePace();
  let told: ReadonlySet<string> = new Set();

  const look = async (pass: Pass): Promise<void> => {
    if (!isLeader()) {
      metrics.storedBelowFloor.reset();
      told = new Set();
      return;
    }
    const { settings } = world();
    const { objects, forbidden } = await readSubjects(
      api,
      { kinds: kindsOf(settings), namespace: null, labelSelector: null },
      pass,
    );
    const outgrown = objects.flatMap((object) => outgrownIn(object, world()));
    count(metrics, settings, forbidden, outgrown);
    const said = [...forbidden, ...outgrown.map(stepOf)];
    for (const kind of forbidden)
      if (!told.has(kind))
        logger.warn({ kind }, 'stored objects may not be listed, so their limits are not known');
    for (const object of outgrown) if (!told.has(stepOf(object))) tell(logger, object);
    told = new Set(said);
    pace.keepOnly(new Set(objects.map((object) => identify(object).uid)), clock.now());
    if (settings.configuration.memoryFloor.reconcile === 'patch')
      for (const object of outgrown) await reconcile(object, pass);
  };

  const reconcile = async (object: Outgrown, pass: Pass): Promise<void> => {
    const { reference } = object;
    const step = stepOf(object);
    if (!isLeader() || !pace.mayTry(reference.uid, step, clock.now())) return;
    pace.tried(reference.uid, clock.now());
    const { kind, namespace, name } = reference;
    try {
      const outcome = await writeAgain(api, reference, (stored) => raised(stored, world()), pass);
      if (outcome.kind === 'written') pace.written(reference.uid, step, clock.now());
      metrics.reconciles.inc({ outcome: outcome.kind });
      const owner = outcome.kind === 'owned' ? outcome.owner : undefined;
      logger.info({ kind, namespace, name, owner }, WORDS[outcome.kind]);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      metrics.reconciles.inc({ outcome: 'failed' });
      logger.warn({ kind, namespace, name, err: error }, 'reconcile: the object could not be written again');
    }
  };

  const polling = startPolling({
    name: 'reconcile',
    intervalMs: () => intervalMs,
    deadlineMs: DEADLINE_SHARE * intervalMs,
    jitter: Math.random,
    clock,
    signal: stopping.signal,
    run: look,
    observe: ({ error }) => {
      if (error !== null) logger.warn({ err: error }, 'the stored limits could not be looked at');
    },
  });
  return {
    stop: async () => {
      stopping.abort();
      await polling.ended;
    },
  };
}

const WORDS: Readonly<Record<Rewriting['kind'], string>> = {
  settled: 'reconcile: nothing to write any more',
  owned: 'reconcile: left to its owner, in whose source the limit has to be raised',
  unexpected: 'reconcile: left, since a dry run answered something other than the raise alone',
  written: 'reconcile: written again, and raised on the way',
};

function kindsOf({ floorTargets, floorSettings }: Settings): ReadonlySet<string> {
  const enabled = floorTargets.filter(({ name }) => floorSettings.has(name));
  return new Set(enabled.flatMap(({ kinds }) => kinds.map(({ kind }) => kind)));
}

/** As an update that changes nothing would be judged. */
function judge(stored: JsonObject, world: World) {
  const { namespace } = identify(stored);
  return judgeMemory({ operation: 'UPDATE', object: stored, oldObject: stored, namespace }, world);
}

function outgrownIn(object: JsonObject, world: World): Outgrown[] {
  const findings = judge(object, world).outcomes.flatMap((outcome) =>
    outcome.kind === 'finding' && outcome.exemption === null ? [outcome.finding] : [],
  );
  return findings.length === 0 ? [] : [{ reference: identify(object), findings }];
}

function raised(stored: JsonObject, world: World): JsonObject | null {
  const { operations } = judge(stored, world);
  const applied = applyOperations(stored, operations);
  return operations.length > 0 && applied.ok ? applied.object : null;
}

/** The object and the floors that it is below: another one as soon as a floor rises. */
function stepOf({ reference: { uid }, findings }: Outgrown): string {
  return [uid, ...findings.map(({ field, properties }) => `${field}=${properties['floorBytes']}`)].join(' ');
}

/** A target whose objects may not be listed has no value, which is another thing than none. */
function count(
  { storedBelowFloor }: ReconcilingOptions['metrics'],
  { floorTargets, floorSettings }: Settings,
  forbidden: readonly string[],
  outgrown: readonly Outgrown[],
): void {
  storedBelowFloor.reset();
  for (const { name, kinds } of floorTargets) {
    if (!floorSettings.has(name) || kinds.some(({ kind }) => forbidden.includes(kind))) continue;
    const findings = outgrown.flatMap((object) => object.findings);
    storedBelowFloor.set({ target: name }, findings.filter(({ rule }) => rule === name).length);
  }
}

function tell(logger: ReconcilingOptions['logger'], { reference, findings }: Outgrown): void {
  const { kind, namespace, name } = reference;
  for (const { rule, field, properties } of findings) {
    const { limit, floor, density } = properties;
    logger.warn(
      { target: rule, kind, namespace, name, field, limit, floor, density },
      'a stored limit is below its floor',
    );
  }
}
