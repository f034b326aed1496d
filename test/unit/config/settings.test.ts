import t from 'tap';
import { ConfigurationError, DEFAULT_CONFIGURATION, parseConfiguration } from '../../../src/config/parse.ts';
import { type Settings, settingsOf } from '../../../src/config/settings.ts';
import { floorOf, multusCurves } from '../../../src/floor/curve.ts';
import { GiB, MiB } from '../../../src/quantity/units.ts';
import { defaultSettings } from '../floor/default-settings.ts';

const HEAD = 'apiVersion: plimsoll.dev/v1alpha1\nkind: Configuration\n';
const read = (yaml: string): Settings => settingsOf(parseConfiguration(HEAD + yaml));

function problemsOf(yaml: string): readonly string[] {
  try {
    read(yaml);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems;
  }
}

t.test('of the defaults', (t) => {
  const settings = settingsOf(DEFAULT_CONFIGURATION);
  t.same(settings.sizeLimits, {
    maxThousandthsOfVirtual: 2000n,
    maxThousandthsOfData: 10_000n,
    allowance: 10n * GiB,
  });
  t.equal(settings.overheadFormula, null);
  t.equal(settings.stickyPercent, 25, 'a stored limit is kept up to 1.25 times the floor');
  t.equal(settings.maxBytes, 1024 * 1024);
  t.equal(settings.registryMaxBytes, 4 * 1024 * 1024);
  t.same(settings.density, { statistic: 'highWaterMark', fixed: null, minimum: 30 });
  t.same([...settings.floorSettings], Object.entries(defaultSettings), 'of every target');
  t.end();
});

t.test('a floor that is mutated is told as a warning, any other as its action says', (t) => {
  const { actions } = read(
    'memoryFloor: { targets: { cdi: { action: deny }, multus: { action: audit } } }',
  ).decisions;
  t.equal(actions['hyperconverged'], 'warn');
  t.equal(actions['cdi'], 'deny');
  t.equal(actions['multus'], 'audit');
  t.equal(actions['too-small'], 'deny');
  t.end();
});

const ALLOWANCES: readonly [yaml: string, allowance: bigint][] = [
  ['{}', 10n * GiB],
  ['{ preset: lenient }', 20n * GiB],
  ['{ preset: lenient, allowance: 5Gi }', 5n * GiB],
  ['{ allowance: 1000 }', 1000n],
  ['{ allowance: 0 }', 0n],
];

for (const [yaml, allowance] of ALLOWANCES)
  t.test(`allowance of ${yaml}`, (t) => {
    t.equal(read(`volumeSize: ${yaml}`).sizeLimits.allowance, allowance);
    t.end();
  });

t.test('factors keep three places, exactly', (t) => {
  const { sizeLimits } = read('volumeSize: { maxTimesVirtual: 1.005, maxTimesData: 2.0015 }');
  t.equal(sizeLimits.maxThousandthsOfVirtual, 1005n);
  t.equal(sizeLimits.maxThousandthsOfData, 2002n);
  t.end();
});

t.test('a curve is changed in part', (t) => {
  const { floorSettings } = read(
    'memoryFloor: { targets: { multus: { delegate: cilium, curve: { min: 1Gi } }, cdi: { enabled: false } } }',
  );
  t.same(floorSettings.get('multus')?.curve, { ...multusCurves.cilium, min: GiB });
  t.equal(floorSettings.has('cdi'), false, 'a target that is off has no settings');
  t.end();
});

t.test('a daemon of one’s own', (t) => {
  const { floorSettings, floorTargets, decisions } = read(`memoryFloor:
  additional:
    - name: fluent-bit
      match: { container: { image: fluent/fluent-bit } }
      curve: { base: 50Mi, perPod: 2Mi, min: 100Mi, max: 1Gi }
      action: deny
`);
  t.equal(floorTargets.at(-1)?.name, 'fluent-bit');
  t.equal(floorOf(floorSettings.get('fluent-bit')!.curve, 100), 250n * MiB);
  t.equal(decisions.actions['fluent-bit'], 'deny');
  t.end();
});

const EXPIRY: readonly { text: string; at: string | null }[] = [
  { text: '2027-12-31', at: '2027-12-31T00:00:00.000Z' },
  { text: '2027-12-31T10:00Z', at: '2027-12-31T10:00:00.000Z' },
  { text: '2027-12-31T10:00:30.5+02:00', at: '2027-12-31T08:00:30.500Z' },
  { text: '2028-02-29', at: '2028-02-29T00:00:00.000Z' },
  { text: '2027-02-29', at: null },
  { text: '2027-02-31', at: null },
  { text: '2027-13-01', at: null },
  { text: '2027-12-31T25:00Z', at: null },
  { text: '2027-12-31T10:00:00', at: null },
  { text: '31.12.2027', at: null },
  { text: 'tomorrow', at: null },
];

for (const { text, at } of EXPIRY)
  t.test(`expires: ${text}`, (t) => {
    const yaml = `exemptions: [{ names: [a], reason: agreed, expires: "${text}" }]`;
    if (at === null)
      t.same(problemsOf(yaml), [
        'exemptions.0.expires: must be a date (2027-01-31) or a time with its zone (RFC 3339)',
      ]);
    else t.equal(read(yaml).decisions.exemptions[0]?.expires, Date.parse(at));
    t.end();
  });

t.test('conditions that are not given are null', (t) => {
  t.same(read('exemptions: [{ labels: { a: "*" }, reason: agreed }]').decisions.exemptions, [
    { namespaces: null, names: null, labels: { a: '*' }, rules: null, reason: 'agreed', expires: null },
  ]);
  t.end();
});

const ROW = 'match: { container: { name: x } }, curve: {}';
const WRONG: readonly { name: string; yaml: string; problems: readonly string[] }[] = [
  {
    name: 'to write again without a cluster',
    yaml: 'memoryFloor: { reconcile: patch }',
    problems: ['memoryFloor.reconcile: patch needs cluster.enabled'],
  },
  {
    name: 'nothing: to write again in a cluster',
    yaml: 'cluster: { enabled: true }\nmemoryFloor: { reconcile: patch }',
    problems: [],
  },
  {
    name: 'all problems at once',
    yaml: `volumeSize: { allowance: 10 Gi }
probe: { maxBytes: -1 }
memoryFloor:
  density: { statistic: fixed }
  targets: { cdi: { curve: { min: 8Gi, step: 0 } } }
exemptions: [{ names: [a], reason: r, expires: soon }]`,
    problems: [
      'exemptions.0.expires: must be a date (2027-01-31) or a time with its zone (RFC 3339)',
      'memoryFloor.density.pods: is required by statistic fixed',
      'memoryFloor.targets.cdi.curve.step: must be at least 1',
      'memoryFloor.targets.cdi.curve: min is greater than max',
      'probe.maxBytes: must not be negative',
      'volumeSize.allowance: it is not a number with an optional unit such as Mi, Gi, M or G',
    ],
  },
  {
    name: 'an exemption from a rule that is misspelt',
    yaml: 'exemptions: [{ names: [a], rules: [oversized, oversize], reason: r }]',
    problems: ['exemptions.0.rules: there is no rule oversize'],
  },
  {
    name: 'exemptions from a policy, a rule, a target and a row of one’s own',
    yaml: `memoryFloor: { additional: [{ name: a, ${ROW} }] }
exemptions: [{ names: [a], rules: [volume-size, memory-floor, tight, cdi, a], reason: r }]`,
    problems: [],
  },
  {
    name: 'a look of more than 1Gi',
    yaml: 'probe: { maxBytes: 1073741825 }',
    problems: ['probe.maxBytes: must not be more than 1Gi'],
  },
  {
    name: 'a curve of a target that is off',
    yaml: 'memoryFloor: { targets: { cdi: { enabled: false, curve: { min: lots } } } }',
    problems: [
      'memoryFloor.targets.cdi.curve.min: it is not a number with an optional unit such as Mi, Gi, M or G',
    ],
  },
  {
    name: 'the name of a built-in target',
    yaml: `memoryFloor: { additional: [{ name: cdi, ${ROW} }] }`,
    problems: ['memoryFloor.additional.0.name: cdi is taken'],
  },
  {
    name: 'the name of a rule of volumes, whose action it would change',
    yaml: `memoryFloor: { additional: [{ name: oversized, ${ROW} }] }`,
    problems: ['memoryFloor.additional.0.name: oversized is taken'],
  },
  {
    name: 'a name twice, be it that both are off',
    yaml: `memoryFloor: { additional: [{ name: a, enabled: false, ${ROW} }, { name: a, enabled: false, ${ROW} }] }`,
    problems: ['memoryFloor.additional.1.name: a is taken'],
  },
  {
    name: 'a name that all objects inherit is free',
    yaml: `memoryFloor: { additional: [{ name: constructor, ${ROW} }] }`,
    problems: [],
  },
];

for (const { name, yaml, problems } of WRONG)
  t.test(`checked: ${name}`, (t) => {
    t.same([...problemsOf(yaml)].sort(), problems);
    t.end();
  });
