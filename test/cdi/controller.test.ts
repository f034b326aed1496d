import t, { type Test } from 'tap';
import { at, listAt, textAt } from '../../src/object/object.ts';
import { bytesOf, parseQuantity } from '../../src/quantity/parse.ts';
import { readVolumes } from '../../src/volume/read.ts';
import type { StorageFacts, Volume } from '../../src/volume/volume.ts';
import { CLASSES } from './classes.ts';
import { type Combination, PHASES } from './combinations.ts';
import { profileNamed, type StorageCluster, startStorageCluster } from './storage-cluster.ts';

t.setTimeout(900_000);

t.test('CDI’s own controller', async (t) => {
  const cluster = await startStorageCluster();
  t.teardown(() => cluster.stop());

  for (const [index, { name }] of PHASES.entries())
    await t.test(`makes the PVCs that we foretell: ${name}`, (t) => judgePhase(t, cluster, index));

  await t.test('will clone as we foretell', async (t) => {
    const storage = await cluster.enter(PHASES[0]!);
    const profiles = await cluster.profiles();
    for (const { name, cloneStrategy } of CLASSES) {
      const profile = profileNamed(profiles, name);
      t.equal(at(profile, 'status', 'cloneStrategy'), cloneStrategy, `${name}: CDI says ${cloneStrategy}`);
      const volume = volumeOf(dataVolume({ api: 'storage', size: '1Gi', className: name }, name), storage);
      t.equal(volume.cloneStrategy, cloneStrategy, `${name}: so do we`);
      t.equal(volume.hostAssistedBecause !== null, cloneStrategy === 'copy', `${name}: host-assisted or not`);
    }
  });
});

t.test('the matrix is as large as docs/cdi.md says', async (t) => {
  const names = PHASES.flatMap(({ name, combinations }) => combinations.map((row) => `${name}: ${row.name}`));
  t.equal(new Set(names).size, names.length, 'no combination is there twice');
  t.equal(names.length, 358);
});

async function judgePhase(t: Test, cluster: StorageCluster, index: number): Promise<void> {
  const phase = PHASES[index]!;
  const storage = await cluster.enter(phase);
  const objects = phase.combinations.map((combination, row) => dataVolume(combination, `volume-${row}`));
  const made = await cluster.decide(`phase-${index}`, objects);
  const profiles = await cluster.profiles();
  for (const [row, combination] of phase.combinations.entries()) {
    const { name } = combination;
    const volume = volumeOf(objects[row]!, storage);
    const foretold = foretellClaims(combination, volume);
    const isUnanswered = isUnderspecified(combination, profileNamed(profiles, volume.storageClass));
    t.same(readClaim(combination, made.get(`volume-${row}`)), isUnanswered ? 'no PVC' : foretold[0], name);
    // Where CDI waits although a mode is named, what is missing are access modes: the size may be certain all the same.
    if (!isUnanswered) t.equal(foretold.length, 1, `${name}: certain to us`);
    else if (combination.mode === undefined) t.not(foretold.length, 1, `${name}: open to us`);
  }
}

type Asked = Pick<Combination, 'api' | 'size' | 'className'> & Partial<Combination>;

function dataVolume({ api, size, className, mode, accessModes = [] }: Asked, name: string) {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name },
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

function volumeOf(object: Record<string, unknown>, storage: StorageFacts): Volume {
  const [outcome] = readVolumes(object, null, 'CREATE', storage) ?? [];
  if (outcome?.kind !== 'volume') throw new Error(`not judged: ${JSON.stringify(outcome)}`);
  return outcome.volume;
}

interface Claim {
  readonly bytes: bigint;
  readonly mode: string;
  /** Null: none, or the API server's own business: it fills in the default class of a spec.pvc that names none. */
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
  const className = api === 'storage' ? textAt(claim, 'spec', 'storageClassName') : undefined;
  return {
    bytes: bytesOf(size.quantity),
    mode: textAt(claim, 'spec', 'volumeMode') ?? 'Filesystem',
    className: className ?? null,
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
