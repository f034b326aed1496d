import t from 'tap';
import {
  ConfigurationError,
  checkConfiguration,
  DEFAULT_CONFIGURATION,
  parseConfiguration,
} from '../../../src/config/parse.ts';

const HEAD = 'apiVersion: plimsoll.dev/v1alpha1\nkind: Configuration\n';

function problemsOf(text: string): readonly string[] {
  try {
    parseConfiguration(text);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems;
  }
}

t.test('the head alone is the defaults', (t) => {
  t.same(parseConfiguration(HEAD), DEFAULT_CONFIGURATION);
  t.equal(DEFAULT_CONFIGURATION.listen.port, 8443);
  t.equal(DEFAULT_CONFIGURATION.listen.healthPort, 8080);
  t.equal(DEFAULT_CONFIGURATION.volumeSize.actions.oversized, 'deny');
  t.equal(DEFAULT_CONFIGURATION.volumeSize.actions['unknown-image'], 'warn');
  t.equal(DEFAULT_CONFIGURATION.probe.addresses.mode, 'public');
  t.equal(DEFAULT_CONFIGURATION.memoryFloor.targets.cdi.action, 'mutate');
  t.same(DEFAULT_CONFIGURATION.exemptions, [], 'nothing is exempt');
  t.same(DEFAULT_CONFIGURATION.exemptionAnnotation.namespaces, [], 'nor may exempt itself');
  t.end();
});

t.test('a part that is given leaves the defaults of the others', (t) => {
  const { volumeSize, memoryFloor } = parseConfiguration(
    `${HEAD}volumeSize:\n  actions: { tight: deny }\nmemoryFloor:\n  targets: { cdi: { action: warn } }\n`,
  );
  t.equal(volumeSize.actions.tight, 'deny');
  t.equal(volumeSize.actions['too-small'], 'deny');
  t.equal(memoryFloor.targets.cdi.action, 'warn');
  t.equal(memoryFloor.targets.cdi.enabled, true);
  t.equal(memoryFloor.targets.multus.action, 'mutate');
  t.end();
});

t.test('JSON is YAML', (t) => {
  t.same(parseConfiguration(JSON.stringify(DEFAULT_CONFIGURATION)), DEFAULT_CONFIGURATION);
  t.end();
});

const WRONG: readonly { name: string; text: string; problems: readonly string[] }[] = [
  { name: 'nothing', text: '', problems: ['configuration: must be object'] },
  { name: 'a list', text: '[]', problems: ['configuration: must be object'] },
  {
    name: 'no head',
    text: '{}',
    problems: [
      "configuration: must have required property 'apiVersion'",
      "configuration: must have required property 'kind'",
    ],
  },
  {
    name: 'another head',
    text: 'apiVersion: plimsoll.dev/v1\nkind: Config\n',
    problems: ['apiVersion: must be plimsoll.dev/v1alpha1', 'kind: must be Configuration'],
  },
  {
    name: 'everything at once, each with its path',
    text: `${HEAD}listen: { port: 70000, prot: 1 }
log: { level: loud }
volumeSize: { maxTimesVirtual: 0.5, actions: { tight: byCloneStrategy } }
probe: { cache: { entries: 0 }, proxy: 'ftp://proxy' }
`,
    problems: [
      'listen: unknown field prot',
      'listen.port: must be <= 65535',
      'log.level: must be one of debug, info, warn, error, silent',
      'probe.cache.entries: must be >= 1',
      'probe.proxy: must match pattern "^https?://"',
      'volumeSize.actions.tight: must be one of deny, warn, info, audit, off',
      'volumeSize.maxTimesVirtual: must be >= 1',
    ],
  },
  {
    name: 'an exemption of nothing in particular',
    text: `${HEAD}exemptions: [{ reason: agreed }]`,
    problems: ['exemptions.0: needs at least one of namespaces, names, labels'],
  },
  {
    name: 'an exemption without a reason',
    text: `${HEAD}exemptions: [{ names: [fedora] }]`,
    problems: ["exemptions.0: must have required property 'reason'"],
  },
  {
    name: 'an exemption of an empty list',
    text: `${HEAD}exemptions: [{ names: [], reason: agreed }]`,
    problems: ['exemptions.0.names: must NOT have fewer than 1 items'],
  },
  {
    name: 'a daemon of no containers',
    text: `${HEAD}memoryFloor: { additional: [{ name: Fluent, match: { container: {} }, curve: {} }] }`,
    problems: [
      'memoryFloor.additional.0.match.container: must NOT have fewer than 1 properties',
      'memoryFloor.additional.0.name: must match pattern "^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$"',
    ],
  },
  {
    name: 'a field that all objects inherit',
    text: `${HEAD}"__proto__": { a: 1 }\nconstructor: 1\n`,
    problems: ['configuration: unknown field __proto__', 'configuration: unknown field constructor'],
  },
  {
    name: 'no YAML',
    text: 'a: b: c',
    problems: ['Nested mappings are not allowed in compact mappings at line 1, column 4'],
  },
  {
    name: 'a field twice',
    text: `${HEAD}log: {}\nlog: {}\n`,
    problems: ['Map keys must be unique at line 4, column 1'],
  },
  {
    name: 'an alias that leads nowhere',
    text: `${HEAD}log: *level`,
    problems: ['Unresolved alias (the anchor must be set before the alias): level'],
  },
  {
    name: 'aliases that unfold to very much',
    text: `${HEAD}a: &a [${'x,'.repeat(9)}x]\nb: &b [${'*a,'.repeat(9)}*a]\nc: &c [${'*b,'.repeat(9)}*b]\nd: [*c]\n`,
    problems: ['Excessive alias count indicates a resource exhaustion attack'],
  },
];

for (const { name, text, problems } of WRONG)
  t.test(`refused: ${name}`, (t) => {
    t.same([...problemsOf(text)].sort(), [...problems].sort());
    t.end();
  });

t.test('two documents are refused', (t) => {
  t.match(problemsOf(`${HEAD}---\n${HEAD}`)[0], /multiple documents/);
  t.end();
});

t.test('the error carries a code, and all problems in one line', (t) => {
  t.throws(() => parseConfiguration('{}'), {
    name: 'ConfigurationError',
    code: 'bad-configuration',
    message:
      "configuration: must have required property 'apiVersion'; configuration: must have required property 'kind'",
  });
  t.end();
});

t.test('a value that is checked is not changed', (t) => {
  const value = Object.freeze({ apiVersion: 'plimsoll.dev/v1alpha1', kind: 'Configuration' });
  t.equal(checkConfiguration(value).listen.port, 8443);
  t.same(Object.keys(value), ['apiVersion', 'kind']);
  t.end();
});
