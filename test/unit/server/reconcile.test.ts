import t from 'tap';
import { createMetrics } from '../../../src/admission/metrics.ts';
import { judgeMemory } from '../../../src/evaluate/floors.ts';
import { applyOperations } from '../../../src/floor/apply.ts';
import { identify, type JsonObject, objectAt } from '../../../src/object/object.ts';
import { startReconciling } from '../../../src/server/reconcile.ts';
import { cdi, multus, until } from '../../integration/harness.ts';
import { update, worldOf } from '../evaluate/world.ts';
import { fakeApi, page, status } from '../kube/fake-api.ts';
import { ManualClock } from '../kube/manual-clock.ts';

const INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;
const PATCH = 'cluster: { enabled: true }\nmemoryFloor: { reconcile: patch }';

/** As the API server has it; `manager` wrote its spec. */
function stored(object: object, name: string, manager = 'kubectl-create'): JsonObject {
  const managedFields = [{ manager, fieldsV1: { 'f:spec': {} } }];
  const metadata = {
    ...objectAt(object, 'metadata'),
    name,
    uid: `uid-${name}`,
    resourceVersion: '7',
    managedFields,
  };
  return { ...object, metadata };
}

interface Situation {
  readonly objects: readonly JsonObject[];
  readonly yaml?: string;
  /** Kinds that may not be listed. */
  readonly forbidden?: readonly string[];
  /** What a write that is no dry run is answered; a code of HTTP. */
  readonly refusal?: number;
}

/** A leader over an API server whose webhook is ours, at 90 pods a node until it is told otherwise. */
async function leader(t: Parameters<typeof fakeApi>[0], situation: Situation) {
  const { yaml = '', forbidden = [], refusal } = situation;
  const clock = new ManualClock();
  const metrics = createMetrics();
  const objects = new Map(situation.objects.map((object) => [identify(object).name, object]));
  const logged: { readonly message: string; readonly fields: Record<string, unknown> }[] = [];
  const log = (fields: object, message: string) =>
    void logged.push({ fields: fields as Record<string, unknown>, message });
  let isLeader = true;
  let pods = 90;
  const world = () => worldOf(yaml, { density: { pods, origin: 'fixed' } });
  const admit = (object: JsonObject): JsonObject => {
    const applied = applyOperations(object, judgeMemory(update(object, object), world()).operations);
    return applied.ok ? applied.object : object;
  };
  const { api, seen } = await fakeApi(t, ({ method, path, query, body }) => {
    const found = objects.get(path.slice(path.lastIndexOf('/') + 1));
    if (found === undefined) {
      if (forbidden.some((plural) => path.endsWith(`/${plural}`))) return status(403, 'Forbidden');
      return page([...objects.values()].filter(({ kind }) => path.endsWith(`/${kind}s`.toLowerCase())));
    }
    if (method === 'GET') return { json: found };
    const raised = admit(JSON.parse(body));
    if (query.get('dryRun') === null) {
      if (refusal !== undefined) return status(refusal, 'Refused');
      objects.set(identify(found).name, raised);
    }
    return { json: raised };
  });
  const reconciling = startReconciling({
    api,
    world,
    isLeader: () => isLeader,
    intervalMs: INTERVAL_MS,
    metrics,
    logger: { info: log, warn: log },
    clock,
  });
  t.teardown(() => reconciling.stop());
  const value = async (name: string, labels: string) =>
    new RegExp(`^${name}\\{${labels}\\} (\\d+)$`, 'm').exec(await metrics.text())?.[1] ?? null;
  const lists = () => seen.filter(({ path }) => path.endsWith('/daemonsets')).length;
  return {
    logged,
    below: (target: string) => value('plimsoll_stored_limits_below_floor', `target="${target}"`),
    reconciles: (outcome: string) => value('plimsoll_reconciles_total', `outcome="${outcome}"`),
    writes: () => seen.filter(({ method, query }) => method === 'PUT' && query.get('dryRun') === null).length,
    /** Stores an object past the webhook. */
    lower: (object: JsonObject) => void objects.set(identify(object).name, object),
    /** So much later, after another look. */
    later: async (ms: number, change: { readonly isLeader?: boolean; readonly pods?: number } = {}) => {
      isLeader = change.isLeader ?? isLeader;
      pods = change.pods ?? pods;
      // More than one pass may have begun; whether any has ended is for the caller to see.
      const before = lists();
      clock.advance(ms);
      if (isLeader)
        await until(
          async () => lists(),
          (count) => count > before,
        );
    },
  };
}

/** Waits for it, and says what it was in the end. */
const settles =
  (t: { equal(found: unknown, wanted: unknown, name: string): unknown }) =>
  async (ask: () => Promise<unknown>, wanted: unknown, name: string) =>
    t.equal(await until(ask, (found) => found === wanted), wanted, name);

t.test('limits below their floors are counted by target and told once, and nothing is written', async (t) => {
  const { below, writes, logged, later } = await leader(t, {
    objects: [stored(multus('50Mi'), 'low'), stored(multus('500Mi'), 'high'), stored(cdi(), 'cdi')],
  });
  await settles(t)(() => below('multus'), '1', 'multus');
  await settles(t)(() => below('cdi'), '1', 'cdi');
  t.equal(await below('hyperconverged'), '0', 'none is another thing than not known');
  await later(2 * INTERVAL_MS);
  t.equal(writes(), 0);
  t.same(
    logged.map(({ fields: { target, name, limit, floor } }) => [target, name, limit, floor]),
    [
      ['multus', 'low', '50Mi', '500Mi'],
      ['cdi', 'cdi', undefined, '2Gi'],
    ],
  );
});

t.test('who does not lead counts nothing', async (t) => {
  const { below, later } = await leader(t, { objects: [stored(multus('50Mi'), 'low')] });
  await settles(t)(() => below('multus'), '1', 'leads');
  await later(2 * INTERVAL_MS, { isLeader: false });
  await settles(t)(() => below('multus'), null, 'leads no more');
  await later(2 * INTERVAL_MS, { isLeader: true });
  await settles(t)(() => below('multus'), '1', 'leads again');
});

t.test('what may not be listed is not known', async (t) => {
  const { below, logged } = await leader(t, {
    objects: [stored(multus('50Mi'), 'low')],
    forbidden: ['cdis'],
  });
  await settles(t)(() => below('multus'), '1', 'multus');
  t.equal(await below('cdi'), null);
  t.match(logged, [{ fields: { kind: 'CDI' }, message: /may not be listed/ }, {}]);
});

t.test('exempt and switched off is not below', async (t) => {
  const { below } = await leader(t, {
    objects: [stored(multus('50Mi'), 'low'), stored(multus('50Mi'), 'exempt')],
    yaml: 'exemptions: [{ names: [exempt], reason: a test }]\nmemoryFloor: { targets: { cdi: { enabled: false } } }',
  });
  await settles(t)(() => below('multus'), '1', 'multus');
  t.equal(await below('cdi'), null);
});

t.test('patch: each object is written once a step, and at most once an hour', async (t) => {
  const { below, writes, reconciles, later } = await leader(t, {
    objects: [stored(multus('50Mi'), 'low'), stored(multus('50Mi'), 'owned', 'argocd-controller')],
    yaml: PATCH,
  });
  await settles(t)(async () => writes(), 1, 'at once');
  await settles(t)(() => reconciles('owned'), '1', 'what has an owner is left');
  await later(INTERVAL_MS * 2);
  await settles(t)(() => below('multus'), '1', 'the other is at its floor');
  await later(INTERVAL_MS * 2, { pods: 110 });
  await settles(t)(() => below('multus'), '2', 'outgrown again');
  await later(INTERVAL_MS * 2);
  t.equal(writes(), 1, 'within the hour nothing is written');
  await later(HOUR_MS);
  await settles(t)(async () => writes(), 2, 'after the hour it is');
  t.equal(await reconciles('written'), '2');
});

t.test('patch: who writes the same object lower again meets no second write for that step', async (t) => {
  const { below, writes, later, lower } = await leader(t, {
    objects: [stored(multus('50Mi'), 'low')],
    yaml: PATCH,
  });
  await settles(t)(async () => writes(), 1, 'at once');
  await later(INTERVAL_MS * 2);
  await settles(t)(() => below('multus'), '0', 'it is at its floor');
  await later(2 * HOUR_MS);
  lower(stored(multus('50Mi'), 'low'));
  await later(INTERVAL_MS * 2);
  await settles(t)(() => below('multus'), '1', 'it is below again');
  await later(2 * HOUR_MS);
  await later(INTERVAL_MS * 2);
  t.equal(writes(), 1, 'but that is for people to see');
});

t.test('patch: a write that is refused is told, and left for an hour', async (t) => {
  const { writes, reconciles, later, logged } = await leader(t, {
    objects: [stored(multus('50Mi'), 'low')],
    yaml: PATCH,
    refusal: 409,
  });
  await settles(t)(() => reconciles('failed'), '1', 'it failed');
  await later(INTERVAL_MS * 2);
  await later(INTERVAL_MS * 2);
  t.equal(writes(), 1);
  await later(HOUR_MS);
  await settles(t)(() => reconciles('failed'), '2', 'and once more');
  t.match(logged.at(-1), { fields: { name: 'low', err: { code: 'conflict' } } });
});

t.test('patch: a target that only warns is not written', async (t) => {
  const { below, reconciles, writes } = await leader(t, {
    objects: [stored(multus('50Mi'), 'low')],
    yaml: 'cluster: { enabled: true }\nmemoryFloor: { reconcile: patch, targets: { multus: { action: warn } } }',
  });
  await settles(t)(() => reconciles('settled'), '1', 'there is nothing that the webhook would do');
  t.equal(await below('multus'), '1');
  t.equal(writes(), 0);
});
