// What the chart renders: goldens for review, and whether a real API server takes it.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t from 'tap';
import { parse, parseAllDocuments } from 'yaml';
import { createMetrics } from '../../src/admission/metrics.ts';
import { checkConfiguration } from '../../src/config/parse.ts';
import { LEASE_NAME } from '../../src/kube/lease.ts';
import { MARKS_NAME } from '../../src/kube/marks.ts';
import { at, listAt, textAt } from '../../src/object/object.ts';
import { FOREIGN_CRDS } from './chart/foreign-crds.ts';
import { CHART, type Helm, helmIn } from './chart/helm.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';

const GOLDEN = resolve(import.meta.dirname, '../golden/chart');
const RENDERINGS = ['default', 'all-on', 'cert-manager', 'provided'] as const;

let folder: string;
let helm: Helm;
const rendered = new Map<string, string>();

const render = (...args: string[]) => helm.run(['template', 'plimsoll', CHART, '-n', 'plimsoll', ...args]);

function objectsOf(name: string): unknown[] {
  return parseAllDocuments(rendered.get(name)!)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
}

const find = (name: string, kind: string, called?: string) =>
  objectsOf(name).find(
    (object) =>
      at(object, 'kind') === kind && (called === undefined || at(object, 'metadata', 'name') === called),
  );

// A loaded machine takes its time.
t.setTimeout(300_000);

// At the top, and not in a hook: a hook that fails can leave a file without any test, which passes.
folder = await mkdtemp(join(tmpdir(), 'plimsoll-chart-'));
helm = await helmIn(folder);
for (const name of RENDERINGS) {
  const { code, stdout, stderr } = await render('-f', join(GOLDEN, `${name}.values.yaml`));
  if (code !== 0) throw new Error(`${name}: ${stderr}`);
  rendered.set(name, stdout);
}

t.teardown(() => rm(folder, { recursive: true, force: true }));

t.test('goldens; UPDATE_GOLDEN=1 writes them anew', async (t) => {
  for (const name of RENDERINGS) {
    const file = join(GOLDEN, `${name}.yaml`);
    if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(file, rendered.get(name)!);
    t.equal(rendered.get(name), await readFile(file, 'utf8'), name);
  }
});

t.test('the configuration that the chart makes is one', async (t) => {
  for (const name of RENDERINGS) {
    const text = textAt(find(name, 'ConfigMap', 'plimsoll'), 'data', 'plimsoll.yaml') ?? '';
    t.equal(checkConfiguration(parse(text)).listen.port, 8443, name);
  }
});

t.test('chart and package are of one version', async (t) => {
  const { version, appVersion } = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8'));
  const manifest = await readFile(resolve(CHART, '../../package.json'), 'utf8');
  t.same([version, appVersion], Array(2).fill(JSON.parse(manifest).version));
});

t.test('the objects that Plimsoll looks for have the names by which it looks', async (t) => {
  t.ok(find('default', 'Lease', LEASE_NAME), LEASE_NAME);
  t.ok(find('default', 'ConfigMap', MARKS_NAME), MARKS_NAME);
});

t.test('caBundle is in the template only where the user gave it', async (t) => {
  for (const name of RENDERINGS) {
    const bundles = [find(name, 'ValidatingWebhookConfiguration'), find(name, 'MutatingWebhookConfiguration')]
      .flatMap((configuration) => listAt(configuration, 'webhooks'))
      .map((webhook) => textAt(webhook, 'clientConfig', 'caBundle'));
    t.ok(bundles.length > 1, name);
    t.ok(
      bundles.every((bundle) => (bundle !== undefined) === (name === 'provided')),
      name,
    );
  }
});

t.test('values that cannot work are refused, and the reason is told', async (t) => {
  const rows: [name: string, args: string[], reason: RegExp][] = [
    ['a namespace where Multus is', ['-n', 'kube-system'], /needs a namespace of its own/],
    ['a value that is none', ['--set', 'replicas=3'], /additional properties 'replicas' not allowed/],
    ['a setting that is none', ['--set', 'config.volumesize.preset=lenient'], /'volumesize' not allowed/],
    [
      'a setting out of its bounds',
      ['--set', 'config.volumeSize.preset=big'],
      /must be one of 'default', 'lenient'/,
    ],
    ['a setting that is the chart’s', ['--set', 'config.listen.port=1'], /'listen' not allowed/],
    [
      'provided without a Secret',
      ['--set', 'certificates.mode=provided,certificates.provided.caBundle=-----BEGIN CERTIFICATE-----'],
      /provided\.secretName has to name the Secret/,
    ],
    [
      'provided without a CA',
      ['--set', 'certificates.mode=provided,certificates.provided.secretName=x'],
      /provided\.caBundle has to be the CA's PEM/,
    ],
    ['a privileged port', ['--set', 'ports.webhook=443'], /minimum: got 443, want 1,024/],
  ];
  for (const [name, args, reason] of rows) {
    const { code, stderr } = await render(...args);
    t.not(code, 0, name);
    t.match(stderr, reason, name);
  }
});

t.test('webhooks follow what is configured to be judged', async (t) => {
  const off = ['multus', 'cdi', 'hyperconverged'].map((target) => [
    '--set',
    `config.memoryFloor.targets.${target}.enabled=false`,
  ]);
  const { stdout } = await render(...off.flat(), '--set', 'config.volumeSize.virtualMachines=false');
  t.notMatch(stdout, /MutatingWebhookConfiguration\n/, 'no floors, no mutating webhook');
  t.notMatch(stdout, /virtualmachines\]/, 'no VirtualMachines');
  t.match(stdout, /datavolumes\]/, 'DataVolumes always');
});

t.test('alerts and dashboard ask for metrics that there are', async (t) => {
  const metrics = await createMetrics().registry.getMetricsAsJSON();
  const known = new Set(metrics.map(({ name }) => name));
  const asked = [
    JSON.stringify(find('all-on', 'PrometheusRule')),
    textAt(find('all-on', 'ConfigMap', 'plimsoll-dashboard'), 'data', 'plimsoll.json')!,
  ].flatMap((text) => text.match(/\b(?:plimsoll|process|nodejs)_[a-z_]+(?=\{)/g) ?? []);
  t.ok(asked.length > 10, 'metrics are asked for');
  for (const name of new Set(asked)) t.ok(known.has(name.replace(/_bucket$/, '')), name);
});

t.test('the README tells of every value', async (t) => {
  const readme = await readFile(join(CHART, 'README.md'), 'utf8');
  for (const path of leavesOf(parse(await readFile(join(CHART, 'values.yaml'), 'utf8')), []))
    t.ok(readme.includes(`| \`${path}\` |`), path);
});

/** Paths of the values that are no maps, or empty ones. */
function leavesOf(value: unknown, path: readonly string[]): string[] {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isMap ? Object.entries(value) : [];
  if (entries.length === 0 || path.at(-1) === 'resources') return [path.join('.')];
  return entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

t.test('a real API server', async (t) => {
  let cluster: Cluster | null = null;
  t.teardown(() => cluster?.stop());
  cluster = await startCluster({ crds: ['cdi', 'virtual-machine'] });
  const { kubectl } = cluster;
  await kubectl.must(['create', '-f', '-'], FOREIGN_CRDS);
  await kubectl.must(['wait', '--for=condition=Established', '--timeout=60s', '--all', 'crd']);
  await kubectl.must(['create', 'namespace', 'plimsoll']);
  await kubectl.must(['label', 'namespace', 'plimsoll', 'pod-security.kubernetes.io/enforce=restricted']);

  t.test('takes every object that is rendered, every field known', async (t) => {
    // The caBundle of this golden is cut short.
    for (const name of RENDERINGS.filter((each) => each !== 'provided')) {
      const manifest = rendered.get(name)!;
      const { code, stdout, stderr } = await kubectl.run(
        ['create', '--dry-run=server', '--validate=strict', '-f', '-'],
        manifest,
      );
      t.equal(code, 0, `${name}: ${stderr}`);
      t.equal(stdout.trim().split('\n').length, objectsOf(name).length, name);
    }
  });

  t.test('lets the pods into a namespace of restricted pod security', async (t) => {
    const deployment = at(find('all-on', 'Deployment'), 'spec', 'template');
    const report = at(find('all-on', 'CronJob'), 'spec', 'jobTemplate', 'spec', 'template');
    const { stdout } = await render('--set', 'hostNetwork=true');
    const onHost = parseAllDocuments(stdout)
      .map((document) => document.toJS())
      .find((object) => at(object, 'kind') === 'Deployment');
    const rows: [name: string, template: unknown, allowed: boolean][] = [
      ['the webhook', deployment, true],
      ['the report', report, true],
      ['the webhook on the host network', at(onHost, 'spec', 'template'), false],
    ];
    for (const [name, template, allowed] of rows) {
      const metadata = { name: 'pod', namespace: 'plimsoll', labels: at(template, 'metadata', 'labels') };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: at(template, 'spec') };
      const { code, stderr } = await kubectl.run(
        ['create', '--dry-run=server', '-f', '-'],
        JSON.stringify(pod),
      );
      t.equal(code === 0, allowed, `${name}: ${stderr}`);
      if (!allowed) t.match(stderr, /violates PodSecurity "restricted:latest": host namespaces/, name);
    }
  });
});
