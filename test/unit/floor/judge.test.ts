import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t, { type Test as Tap } from 'tap';
import { builtInTargets } from '../../../src/floor/catalogue.ts';
import { targetOf } from '../../../src/floor/daemon-row.ts';
import type { FloorAction, FloorSettings, FloorSubject } from '../../../src/floor/floor.ts';
import { judgeFloors } from '../../../src/floor/judge.ts';
import type { JsonObject } from '../../../src/object/object.ts';
import { bytesOf, parseQuantity } from '../../../src/quantity/parse.ts';
import { defaultSettings } from './default-settings.ts';
import {
  admitted,
  atDensity,
  cdiMemoryOf,
  cdiWith,
  checksOf,
  creating,
  judgeBuiltIn,
  memoryOf,
  multusWith,
  updating,
} from './subject.ts';

const FIFTY = { limits: { memory: '50Mi' } };

const densities: readonly (readonly [pods: number, multus: string, cdi: string])[] = [
  [30, '200Mi', '2Gi'],
  [45, '280Mi', '2Gi'],
  [89, '500Mi', '2Gi'],
  [90, '500Mi', '2Gi'],
  [91, '510Mi', '2304Mi'],
  [110, '600Mi', '2560Mi'],
  [250, '1300Mi', '4Gi'],
];

for (const [pods, multus, cdi] of densities) {
  t.test(`${pods} pods on a node`, async (t) => {
    const wanted = (object: JsonObject) =>
      checksOf(judgeBuiltIn(creating(object), atDensity(pods)))[0]?.wanted;
    t.equal(wanted(multusWith(FIFTY)), multus);
    t.equal(wanted(cdiWith({})), cdi);
  });
}

t.test('only the targets of its group and kind look at an object', async (t) => {
  const kinds: readonly (readonly [apiVersion: unknown, kind: unknown, targets: number])[] = [
    ['apps/v1', 'DaemonSet', 1],
    ['apps/v1', 'Deployment', 0],
    ['other/v1', 'DaemonSet', 0],
    ['v1', 'DaemonSet', 0],
    [undefined, 'DaemonSet', 0],
    ['apps/v1', 7, 0],
    ['apps/v1', '__proto__', 0],
  ];
  for (const [apiVersion, kind, targets] of kinds) {
    const object = { ...multusWith(FIFTY), apiVersion, kind };
    t.equal(judgeBuiltIn(creating(object), atDensity(90)).length, targets, `${apiVersion} ${kind}`);
  }
});

t.test('a target without settings is off', async (t) => {
  const settings = new Map([['cdi', defaultSettings.cdi]]);
  const question = { targets: builtInTargets, settings, ...atDensity(90) };
  t.same(judgeFloors(creating(multusWith(FIFTY)), question), []);
  t.equal(judgeFloors(creating(cdiWith({})), question).length, 1);
});

/** Two rows that mean the same container, the first with this action. */
const inTurn = (first: bigint, second: bigint, action: FloorAction = 'mutate') => {
  const row = (name: string, min: bigint, of: FloorAction): readonly [string, FloorSettings] => [
    name,
    { ...defaultSettings.multus, action: of, curve: { base: 0n, perPod: 0n, step: 1n, min, max: min } },
  ];
  const match = { kinds: ['DaemonSet' as const], container: { name: 'kube-multus' } };
  return judgeFloors(creating(multusWith(undefined)), {
    targets: [targetOf({ name: 'first', match }), targetOf({ name: 'second', match })],
    settings: new Map(
      [row('first', first, action), row('second', second, 'mutate')].map(([name, of]) => [
        name,
        { ...of, addMissing: true },
      ]),
    ),
    ...atDensity(90),
  });
};

t.test('two rows that mean one container leave it at the higher floor', async (t) => {
  const after = (...floors: [bigint, bigint]) =>
    memoryOf(admitted(multusWith(undefined), inTurn(...floors))).limit;
  t.equal(after(2_048n, 4_096n), '4Ki');
  t.equal(after(4_096n, 2_048n), '4Ki');
});

t.test('a row that only tells is not taken for one that writes', async (t) => {
  const [, second] = inTurn(4_096n, 2_048n, 'audit');
  t.match(second, { target: 'second', checks: [{ state: 'below', wanted: '2Ki' }] });
});

// Properties, over everything that can be written where requirements are expected.

const amount = fc.tuple(fc.integer({ min: 0, max: 4_000 }), fc.constantFrom('Mi', 'M', 'Ki', '', 'm', 'Gi'));
const quantity = fc.oneof(
  { weight: 6, arbitrary: amount.map(([count, unit]) => `${count}${unit}`) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 5_000_000_000 }) },
  { weight: 1, arbitrary: fc.constantFrom('0', '2Gi', '500Mi', '1e9', '1.5Gi', '600M') },
);
const garbage = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    'x',
    '',
    -1,
    '-5Mi',
    true,
    [],
    {},
    JSON.parse('{"__proto__":{"memory":"1Mi"}}'),
  ),
  fc.jsonValue(),
);
const value = fc.oneof(
  { weight: 8, arbitrary: quantity as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: garbage },
);
const amounts = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ memory: value, cpu: value }, { requiredKeys: [] }) as fc.Arbitrary<unknown>,
  },
  { weight: 1, arbitrary: garbage },
);
const resources = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      { limits: amounts, requests: amounts },
      { requiredKeys: [] },
    ) as fc.Arbitrary<unknown>,
  },
  { weight: 1, arbitrary: garbage },
);
const settings = fc.record({
  requests: fc.constantFrom('follow', 'keep', 'followWhenEqual'),
  addMissing: fc.boolean(),
  initLimits: fc.boolean(),
}) as fc.Arbitrary<Partial<FloorSettings>>;
const pods = fc.integer({ min: 0, max: 400 });

/** Both homes of requirements, so that one property holds for each. */
const homes = [
  {
    name: 'multus',
    of: (found: unknown) => multusWith(found),
    memory: (object: JsonObject) => memoryOf(object),
  },
  { name: 'cdi', of: (found: unknown) => cdiWith(found), memory: cdiMemoryOf },
] as const;

const bytes = (found: unknown): bigint | null => {
  const parse = parseQuantity(found);
  return parse.ok ? bytesOf(parse.quantity) : null;
};

for (const { name, of, memory } of homes) {
  const always = (
    t: Tap,
    holds: (
      subject: FloorSubject,
      after: JsonObject,
      changed: Partial<FloorSettings>,
      pods: number,
    ) => boolean,
  ) => {
    t.equal(
      fc.defaultReportMessage(
        fc.check(
          fc.property(resources, fc.option(resources), settings, pods, (sent, stored, changed, pods) => {
            const subject = stored === null ? creating(of(sent)) : updating(of(stored), of(sent));
            return holds(
              subject,
              admitted(subject.object, judgeBuiltIn(subject, atDensity(pods), changed)),
              changed,
              pods,
            );
          }),
          { numRuns: 300 },
        ),
      ),
      undefined,
    );
  };

  t.test(`${name}: judging what was admitted writes nothing`, async (t) => {
    always(t, (subject, after, changed, pods) =>
      checksOf(judgeBuiltIn({ ...subject, object: after }, atDensity(pods), changed)).every(
        ({ operations }) => operations.length === 0,
      ),
    );
  });

  t.test(`${name}: nothing is ever lowered`, async (t) => {
    always(t, ({ object }, after) =>
      (['limit', 'request'] as const).every((value) => {
        const before = bytes(memory(object)[value]);
        return before === null || (bytes(memory(after)[value]) ?? -1n) >= before;
      }),
    );
  });

  t.test(`${name}: what is written leaves the limit at its floor and the request under it`, async (t) => {
    always(t, (subject, after, changed, pods) => {
      const { limit, request } = memory(after);
      return checksOf(judgeBuiltIn(subject, atDensity(pods), changed))
        .filter(({ operations }) => operations.length > 0)
        .every(
          ({ floor }) => (bytes(limit) ?? -1n) >= floor && (bytes(request) ?? 0n) <= (bytes(limit) ?? -1n),
        );
    });
  });

  t.test(`${name}: nothing but memory is written`, async (t) => {
    always(t, ({ object }, after) => {
      const paths = checksOf(judgeBuiltIn(creating(object), atDensity(90))).flatMap(({ operations }) =>
        operations.filter(({ value }) => !isDeepStrictEqual(value, {})).map(({ path }) => path),
      );
      return (
        paths.every((path) => /\/(limits|requests)\/memory$/.test(path)) &&
        isDeepStrictEqual({ ...after, spec: null }, { ...object, spec: null })
      );
    });
  });

  t.test(`${name}: the same manifest sent again ends as it is stored`, async (t) => {
    t.equal(
      fc.defaultReportMessage(
        fc.check(
          fc.property(resources, settings, pods, (sent, changed, pods) => {
            const object = of(sent);
            const stored = admitted(object, judgeBuiltIn(creating(object), atDensity(pods), changed));
            const again = admitted(object, judgeBuiltIn(updating(stored, object), atDensity(pods), changed));
            return isDeepStrictEqual(again, stored);
          }),
          { numRuns: 300 },
        ),
      ),
      undefined,
    );
  });
}

t.test('no JSON makes it throw, and no JSON is the business of two targets', async (t) => {
  const kinds = fc.constantFrom(
    { apiVersion: 'apps/v1', kind: 'DaemonSet' },
    { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'CDI' },
    { apiVersion: 'hco.kubevirt.io/v1', kind: 'HyperConverged' },
  );
  const daemon = fc.record({ name: garbage, command: fc.constant(['multus-daemon']), resources });
  const wild = fc.oneof(
    garbage,
    fc.record({ config: garbage, storage: garbage, template: garbage }),
    fc
      .tuple(fc.array(fc.oneof(daemon, garbage)), fc.array(fc.oneof(daemon, garbage)))
      .map(([containers, initContainers]) => ({ template: { spec: { containers, initContainers } } })),
  );
  t.equal(
    fc.defaultReportMessage(
      fc.check(
        fc.property(kinds, garbage, wild, wild, (kind, metadata, spec, oldSpec) => {
          const subject = updating({ ...kind, metadata, spec: oldSpec }, { ...kind, metadata, spec });
          const outcomes = judgeBuiltIn(subject, atDensity(90), { initLimits: true, addMissing: true });
          admitted(subject.object, outcomes);
          return outcomes.length <= 1;
        }),
        { numRuns: 300 },
      ),
    ),
    undefined,
  );
});
