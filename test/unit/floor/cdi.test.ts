import t from 'tap';
import {
  admitted,
  atDensity,
  cdiMemoryOf,
  cdiWith,
  checksOf,
  creating,
  judgeBuiltIn,
  manifest,
  updating,
} from './subject.ts';

type Expected =
  | { readonly raised: unknown; readonly request?: unknown }
  | { readonly left: 'ok' | 'unlimited' }
  | { readonly skipped: RegExp; readonly warning: RegExp | null };

const HCO = /^the HyperConverged Cluster Operator owns/;
const FIELD = /spec\.storage\.workloadResourceRequirements.*spec\.resourceRequirements\.storageWorkloads/;

/** What becomes of each at 90 pods, where the floor is 2Gi. */
const variants: Readonly<Record<string, Expected>> = {
  'absent-spec': { raised: '2Gi' },
  'empty-config': { raised: '2Gi' },
  'cpu-only': { raised: '2Gi' },
  'default-written': { raised: '2Gi', request: '60M' },
  equal: { raised: '2Gi', request: '2Gi' },
  harvester: { raised: '2Gi' },
  enough: { left: 'ok' },
  zero: { left: 'unlimited' },
  number: { raised: '2Gi' },
  v1alpha1: { raised: '2Gi' },
  'high-request': { raised: '3Gi', request: '3Gi' },
  deleting: { skipped: /^it is being deleted$/, warning: null },
  'hco-by-name': { skipped: HCO, warning: FIELD },
  'hco-by-label': { skipped: HCO, warning: FIELD },
  'hco-by-owner': { skipped: HCO, warning: null },
  unreadable: {
    skipped: /^spec\.config\.podResourceRequirements\.limits\.memory cannot be read/,
    warning: null,
  },
  'unknown-version': { skipped: /^its API version is not known$/, warning: null },
};

for (const [name, expected] of Object.entries(variants)) {
  t.test(`CDI ${name}`, async (t) => {
    const object = manifest(`cdi/${name}`);
    const outcomes = judgeBuiltIn(creating(object), atDensity(90));
    const after = admitted(object, outcomes);
    if ('skipped' in expected) {
      t.match(outcomes, [
        { kind: 'skip', target: 'cdi', reason: expected.skipped, warning: expected.warning },
      ]);
    } else if ('left' in expected) {
      t.same(
        checksOf(outcomes).map(({ state }) => state),
        [expected.left],
      );
      t.same(after, object);
    } else {
      t.same(
        checksOf(outcomes).map(({ state }) => state),
        ['below'],
      );
      t.same(cdiMemoryOf(after), { limit: expected.raised, request: expected.request });
    }
  });
}

t.test('missing parents are made, and only they', async (t) => {
  const paths = (object: object) =>
    checksOf(judgeBuiltIn(creating(object as never), atDensity(90)))[0]?.operations.map(
      ({ op, path }) => `${op} ${path}`,
    );
  const root = '/spec/config/podResourceRequirements';
  t.same(paths(manifest('cdi/absent-spec')), [
    'add /spec/config',
    `add ${root}`,
    `add ${root}/limits`,
    `add ${root}/limits/memory`,
  ]);
  t.same(paths(cdiWith({})), [`add ${root}/limits`, `add ${root}/limits/memory`]);
  t.same(paths(cdiWith({ limits: null })), [`replace ${root}/limits`, `add ${root}/limits/memory`]);
  t.same(paths(manifest('cdi/cpu-only')), [`add ${root}/limits/memory`]);
  t.same(paths(manifest('cdi/harvester')), [`replace ${root}/limits/memory`]);
});

t.test('other keys stay', async (t) => {
  const object = manifest('cdi/cpu-only');
  t.match(admitted(object, judgeBuiltIn(creating(object), atDensity(90))), {
    spec: {
      config: {
        podResourceRequirements: {
          limits: { cpu: '2', 'ephemeral-storage': '1Gi', memory: '2Gi' },
          requests: { cpu: '100m' },
        },
      },
    },
  });
});

const obstacles: Readonly<Record<string, object>> = {
  'a spec of text': { ...cdiWith({}), spec: 'x' },
  'a list of configurations': { ...cdiWith({}), spec: { config: [] } },
  'requirements of a number': cdiWith(3),
  'limits of a list': cdiWith({ limits: [] }),
  'requests of text': cdiWith({ requests: 'x' }),
};

for (const [name, object] of Object.entries(obstacles)) {
  t.test(`left alone: ${name}`, async (t) => {
    const outcomes = judgeBuiltIn(creating(object as never), atDensity(90));
    t.match(outcomes, [{ kind: 'skip', reason: /is not an object$/, warning: null }]);
  });
}

t.test('a floor at or under the default of CDI adds nothing', async (t) => {
  const stateAt = (min: bigint) => {
    const curve = { base: 0n, perPod: 0n, step: 1n, min, max: min };
    return checksOf(judgeBuiltIn(creating(cdiWith({})), atDensity(90), { curve }))[0]?.state;
  };
  t.equal(stateAt(600_000_000n), 'ok');
  t.equal(stateAt(600_000_001n), 'below');
});

t.test('the default is named where it is the reason', async (t) => {
  const [check] = checksOf(judgeBuiltIn(creating(cdiWith(undefined)), atDensity(90)));
  t.equal(check?.limit, null);
  t.equal(check?.because, 'CDI takes 600M where none is set');
  t.equal(check?.field, 'spec.config.podResourceRequirements.limits.memory');
});

const updates: readonly {
  readonly name: string;
  readonly old: unknown;
  readonly sent: unknown;
  readonly limit: unknown;
}[] = [
  { name: 'a limit taken away comes back', old: '2Gi', sent: undefined, limit: '2Gi' },
  { name: 'a limit in the band comes back as it was written', old: '2200M', sent: '600M', limit: '2200M' },
  {
    name: 'a number in the band comes back as a number',
    old: 2_200_000_000,
    sent: '600M',
    limit: 2_200_000_000,
  },
  { name: 'a limit over the band falls to the floor', old: '8Gi', sent: '600M', limit: '2Gi' },
  { name: 'a limit lowered to the floor is taken', old: '8Gi', sent: '2Gi', limit: '2Gi' },
  { name: 'zero is taken', old: '2Gi', sent: 0, limit: 0 },
];

for (const { name, old, sent, limit } of updates) {
  t.test(`on update ${name}`, async (t) => {
    const object = cdiWith(sent === undefined ? undefined : { limits: { memory: sent } });
    const outcomes = judgeBuiltIn(updating(cdiWith({ limits: { memory: old } }), object), atDensity(90));
    t.same(cdiMemoryOf(admitted(object, outcomes)).limit, limit);
  });
}
