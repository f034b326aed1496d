import t from 'tap';
import { at, listAt, textAt } from '../../src/object/object.ts';
import { bytesOf, parseQuantity } from '../../src/quantity/parse.ts';
import { storageFromObjects } from '../../src/volume/facts.ts';
import { readVolumes } from '../../src/volume/read.ts';
import type { StorageFacts, Volume } from '../../src/volume/volume.ts';
import { type Cluster, startCluster } from '../cluster/harness/cluster.ts';
import type { Running } from '../cluster/harness/processes.ts';
import { until } from '../cluster/harness/until.ts';
import { CLASSES, profileOf, storageClassOf, type TestClass } from './classes.ts';
import { type Combination, PHASES, type Phase } from './combinations.ts';
import { cdiResource, startCdiController, untilClassesAreKnown } from './controller.ts';

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class';
const IS_VIRT_DEFAULT = 'storageclass.kubevirt.io/is-default-virt-class';

t.setTimeout(600_000);

let cluster: Cluster;
let controller: Running;

t.before(async () => {
  cluster = await startCluster({ crds: ['cdi'] });
  await apply([cdiResource(cdiSpec(undefined))]);
  controller = await startCdiController(cluster);
  await apply(CLASSES.map(storageClassOf));
  await untilClassesAreKnown(cluster);
  await apply(CLASSES.map(profileOf).filter((profile) => profile !== null));
  await until('CDI has taken up the profiles', async () => {
    const profiles = listAt(await cluster.kubectl.getJson('storageprofiles'), 'items');
    return CLASSES.every((wanted) => {
      const profile = profiles.find((found) => at(found, 'metadata', 'name') === wanted.name);
      return hasTakenUp(profile, wanted);
    });
  });
});

t.teardown(async () => {
  await controller?.stop();
  await cluster?.stop();
});

function hasTakenUp(profile: unknown, { profile: asked }: TestClass): boolean {
  const sets = asked?.claimPropertySets?.length ?? 0;
  return (
    (sets === 0 || listAt(profile, 'status', 'claimPropertySets').length === sets) &&
    (asked?.cloneStrategy === undefined || at(profile, 'status', 'cloneStrategy') === asked.cloneStrategy)
  );
}

function apply(objects: readonly object[]): Promise<string> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  return cluster.kubectl.must(
    ['apply', '--server-side', '--force-conflicts', '-f', '-'],
    JSON.stringify(list),
  );
}

function cdiSpec(overhead: string | undefined) {
  const storageClass = Object.fromEntries(
    CLASSES.flatMap(({ name, overhead }) => (overhead === undefined ? [] : [[name, overhead]])),
  );
  return {
    config: { filesystemOverhead: { ...(overhead === undefined ? {} : { global: overhead }), storageClass } },
  };
}

/** Makes the cluster say what the phase wants it to say, and reads that as we would. */
async function enter({ overhead, defaults, virtDefaults }: Phase): Promise<StorageFacts> {
  await apply([cdiResource(cdiSpec(overhead))]);
  await apply(
    CLASSES.map((row) =>
      storageClassOf({
        ...row,
        annotations: {
          ...row.annotations,
          [IS_DEFAULT]: String(defaults.includes(row.name)),
          [IS_VIRT_DEFAULT]: String(virtDefaults.includes(row.name)),
        },
      }),
    ),
  );
  await until('CDI has taken up the overhead', async () => {
    const config = await cluster.kubectl.getJson('cdiconfig', 'config');
    return at(config, 'status', 'filesystemOverhead', 'global') === (overhead ?? '0.06');
  });
  await untilClassesAreKnown(cluster);
  const kinds = ['storageclasses', 'storageprofiles', 'cdiconfigs', 'cdis'];
  return storageFromObjects(
    listAt(await cluster.kubectl.getJson(kinds.join()), 'items'),
    'cluster',
    'multiply',
  );
}

function dataVolume(
  { api, size, className, mode, accessModes }: Combination,
  namespace: string,
  name: string,
) {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { namespace, name },
    spec: {
      source: { http: { url: 'http://images.example/base.qcow2' } },
      [api]: {
        resources: { requests: { storage: size } },
        ...(className === undefined ? {} : { storageClassName: className }),
        ...(mode === undefined ? {} : { volumeMode: mode }),
        ...(accessModes.length === 0 ? {} : { accessModes }),
      },
    },
  };
}

/** The PVC that CDI made of each DataVolume, or null where it says that it can not; waits until it has decided. */
async function decisions(namespace: string, count: number): Promise<ReadonlyMap<string, unknown>> {
  const decided = new Map<string, unknown>();
  await until(
    'CDI has decided on every DataVolume',
    async () => {
      const list = await cluster.kubectl.getJson('-n', namespace, 'datavolumes,persistentvolumeclaims');
      const objects = listAt(list, 'items');
      for (const object of objects) {
        const name = String(at(object, 'metadata', 'name'));
        if (at(object, 'kind') === 'PersistentVolumeClaim') decided.set(name, object);
        else if (isWaiting(object) && !decided.has(name)) decided.set(name, null);
      }
      return decided.size >= count;
    },
    180_000,
  );
  return decided;
}

function isWaiting(object: unknown): boolean {
  return listAt(object, 'status', 'conditions').some(
    (condition) => at(condition, 'type') === 'Bound' && at(condition, 'reason') === 'ErrClaimNotValid',
  );
}

function volumeOf(object: object, storage: StorageFacts): Volume {
  const [outcome] = readVolumes(object as Record<string, unknown>, null, 'CREATE', storage) ?? [];
  if (outcome?.kind !== 'volume') throw new Error(`not judged: ${JSON.stringify(outcome)}`);
  return outcome.volume;
}

interface Claim {
  readonly bytes: bigint;
  readonly mode: string;
  /** Null: none, or the API server's own business: it fills in the default class of what asks for none. */
  readonly className: string | null;
}

/** The PVCs that we think possible, each once. */
function foretellClaims({ api }: Combination, { readings, storageClass }: Volume): readonly Claim[] {
  const className = api === 'storage' ? storageClass : null;
  const claims = readings.map(({ effective, mode }) => ({ bytes: effective, mode, className }));
  return [...new Map(claims.map((claim) => [`${claim.bytes}/${claim.mode}`, claim])).values()];
}

/** The PVC that CDI made. */
function readClaim({ api }: Combination, claim: unknown): Claim | 'no PVC' {
  if (claim === null) return 'no PVC';
  const size = parseQuantity(at(claim, 'spec', 'resources', 'requests', 'storage'));
  if (!size.ok) throw new Error('a PVC without a size');
  return {
    bytes: bytesOf(size.quantity),
    mode: textAt(claim, 'spec', 'volumeMode') ?? 'Filesystem',
    className: api === 'storage' ? (textAt(claim, 'spec', 'storageClassName') ?? null) : null,
  };
}

/** What CDI waits for: access modes that neither the DataVolume nor a property set of its mode gives. */
function isUnderspecified({ api, mode, accessModes }: Combination, profile: unknown): boolean {
  const sets = listAt(profile, 'status', 'claimPropertySets');
  return (
    api === 'storage' &&
    accessModes.length === 0 &&
    !sets.some((set) => mode === undefined || at(set, 'volumeMode') === mode)
  );
}

for (const [index, phase] of PHASES.entries())
  t.test(phase.name, async (t) => {
    const namespace = `phase-${index}`;
    const storage = await enter(phase);
    const objects = phase.combinations.map((combination, row) =>
      dataVolume(combination, namespace, `volume-${row}`),
    );
    await apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]);
    await cluster.kubectl.must(
      ['create', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
    );
    const made = await decisions(namespace, objects.length);
    const profiles = listAt(await cluster.kubectl.getJson('storageprofiles'), 'items');
    const profileNamed = (name: string | null) =>
      profiles.find((profile) => at(profile, 'metadata', 'name') === name);

    for (const [row, combination] of phase.combinations.entries()) {
      const volume = volumeOf(objects[row]!, storage);
      const foretold = foretellClaims(combination, volume);
      const isUnanswered = isUnderspecified(combination, profileNamed(volume.storageClass));
      t.same(
        readClaim(combination, made.get(`volume-${row}`)),
        isUnanswered ? 'no PVC' : foretold[0],
        combination.name,
      );
      // Where CDI waits for a property set of the mode given, whoever adds one settles no more than the access modes.
      const isOpen = isUnanswered && combination.mode === undefined;
      t.equal(foretold.length > 1, isOpen, `${combination.name}: ${isOpen ? 'open' : 'certain'} to us`);
    }
  });

t.test('the matrix is as large as the documentation says', async (t) => {
  const names = PHASES.flatMap(({ name, combinations }) => combinations.map((row) => `${name}: ${row.name}`));
  t.equal(new Set(names).size, names.length, 'no combination is there twice');
  t.ok(names.length >= 200, `${names.length} combinations`);
});

t.test('how CDI will clone', async (t) => {
  const storage = await enter(PHASES[0]!);
  const profiles = listAt(await cluster.kubectl.getJson('storageprofiles'), 'items');
  for (const { name, cloneStrategy } of CLASSES) {
    const profile = profiles.find((found) => at(found, 'metadata', 'name') === name);
    t.equal(at(profile, 'status', 'cloneStrategy'), cloneStrategy, `${name}: CDI says ${cloneStrategy}`);
    const asked = {
      name,
      api: 'storage',
      size: '1Gi',
      className: name,
      mode: undefined,
      accessModes: [],
    } as const;
    const volume = volumeOf(dataVolume(asked, 'default', name), storage);
    t.equal(volume.cloneStrategy, cloneStrategy, `${name}: so do we`);
    t.equal(volume.hostAssistedBecause !== null, cloneStrategy === 'copy', `${name}: host-assisted or not`);
  }
});
