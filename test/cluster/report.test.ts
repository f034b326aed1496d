// The report over what a real API server holds, beside what the webhook answers to the same objects sent by kubectl.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { fitWarnings } from '../../src/admission/review.ts';
import { serveSamples } from '../../src/cli/demo/images.ts';
import {
  at,
  identify,
  type JsonObject,
  listAt,
  type ObjectReference,
  textAt,
} from '../../src/object/object.ts';
import { FORMATS } from '../../src/report/formats.ts';
import { CHART, helmIn } from './chart/helm.ts';
import { HYPERCONVERGED_CRD } from './crds/hyperconverged.ts';
import { REPORT_CRDS } from './crds/reports.ts';
import { findBinary } from './harness/binaries.ts';
import { startCluster } from './harness/cluster.ts';
import { startControllers } from './harness/controllers.ts';
import { runCommand } from './harness/kubectl.ts';
import { until } from './harness/until.ts';
import { plimsoll, startWebhook } from './plimsoll.ts';
import { answerTo, asSent } from './report/answers.ts';
import { mixedObjects, NAMESPACE, STORAGE } from './report/objects.ts';

t.setTimeout(600_000);

const cluster = await startCluster({ crds: ['cdi', 'virtual-machine'] });
t.teardown(() => cluster.stop());
const { kubectl } = cluster;
// What users have set when they call kubectl and its plugins.
process.env.KUBECONFIG = cluster.kubeconfig;

const { server: samples, origin } = await serveSamples();
t.teardown(() => {
  samples.close();
  samples.closeAllConnections();
});

const listOf = (items: readonly object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
const create = (items: readonly object[]) => kubectl.must(['create', '-f', '-'], listOf(items));
const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** More pods than the least that is planned for, so that what is counted decides. */
const PODS = 35;
const pod = (_: unknown, index: number) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `pod-${index}`, namespace: NAMESPACE },
  spec: { nodeName: 'node', containers: [{ name: 'main', image: 'registry.invalid/main' }] },
});

await kubectl.must(['create', '-f', '-'], HYPERCONVERGED_CRD);
await kubectl.must(['wait', '--for=condition=Established', '--timeout=60s', '--all', 'crd']);
await create([namespace(NAMESPACE), namespace('plimsoll'), ...STORAGE]);
await create([
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node' } },
  ...Array.from({ length: PODS }, pod),
]);
// Before anybody could refuse or change them.
const { kept, held } = mixedObjects({ origin });
await create([...kept, ...held]);
await kubectl.must(['delete', '--wait=false', '-f', '-'], listOf(held));

const SETTINGS = {
  cluster: { enabled: true, namespace: 'plimsoll' },
  probe: { addresses: { mode: 'allowlist', allow: [new URL(origin).host] } },
  volumeSize: { importClaims: true },
  memoryFloor: {
    additional: [
      {
        name: 'collector',
        action: 'deny',
        match: { kinds: ['Deployment'], container: { name: 'collector' } },
      },
    ],
  },
  exemptions: [
    { names: ['exempt'], rules: ['oversized'], reason: 'it grows' },
    { names: ['multus-exempt'], rules: ['memory-floor'], reason: 'it is tested' },
  ],
  exemptionAnnotation: { namespaces: [NAMESPACE] },
};
const webhook = await startWebhook(cluster, SETTINGS);
t.teardown(() => webhook.program.stop());
await judgeMore('validating', [
  ['kubevirt.io', 'virtualmachines'],
  ['', 'persistentvolumeclaims'],
  ['apps', 'deployments'],
]);
await judgeMore('mutating', [['hco.kubevirt.io', 'hyperconvergeds']]);
await until('the API server asks the webhook about these kinds', async () => {
  const answers = await Promise.all(
    ['Deployment collector', 'HyperConverged hyperconverged'].map((label) =>
      answerTo(
        kubectl,
        kept.find((object) => `${at(object, 'kind')} ${at(object, 'metadata', 'name')}` === label)!,
      ),
    ),
  );
  return answers.every(({ denial, warnings }) => denial !== null || warnings.length > 0);
});

/** Sends more kinds to the webhook, as the chart does under these settings. */
async function judgeMore(
  kind: 'validating' | 'mutating',
  resources: readonly (readonly [group: string, resource: string])[],
): Promise<void> {
  const patch = resources.map(([group, resource]) => ({
    op: 'add',
    path: '/webhooks/0/rules/-',
    value: { apiGroups: [group], apiVersions: ['*'], resources: [resource], operations: ['CREATE'] },
  }));
  const target = [`${kind}webhookconfiguration`, 'plimsoll'];
  await kubectl.must(['patch', ...target, '--type=json', '-p', JSON.stringify(patch)]);
}

const report = (...args: readonly string[]) =>
  plimsoll(['report', '--cluster', '--config', webhook.configFile, ...args]);

interface Line {
  readonly policy: string;
  readonly rule: string;
  readonly result: string;
  readonly field: string;
  readonly message: string;
  readonly resource: ObjectReference;
  readonly properties: Readonly<Record<string, string>>;
}
const linesOf = (stdout: string) => (JSON.parse(stdout) as { results: Line[] }).results;

/** Everything that was created, as it is stored. */
async function storedObjects(): Promise<JsonObject[]> {
  const kinds =
    'datavolumes,dataimportcrons,virtualmachines,persistentvolumeclaims,daemonsets,deployments,hyperconvergeds,cdis';
  return listAt(await kubectl.getJson(kinds, '-A'), 'items') as JsonObject[];
}

/** Works on two at a time: the machine has other things to do. */
async function inPairs<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const worker = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one);
  };
  await Promise.all([worker(), worker()]);
}

t.test('the verdict on each stored object is what the webhook answers to it', async (t) => {
  const { code, stdout, stderr } = await report('-o', 'json');
  t.equal(code, 2, stderr);
  const lines = linesOf(stdout);
  const stored = await storedObjects();
  const isGoing = (object: JsonObject) => at(object, 'metadata', 'deletionTimestamp') !== undefined;
  await inPairs(
    stored.filter((object) => !isGoing(object)),
    async (object) => {
      const { kind, name, uid } = identify(object);
      const told = lines.filter(({ resource }) => resource.uid === uid);
      const of = (...results: readonly string[]) =>
        told.filter(({ result }) => results.includes(result)).map(({ message }) => message);
      const answer = await answerTo(kubectl, asSent(object));
      t.equal(of('fail').join(' ') || null, answer.denial, `${kind} ${name}: the denial`);
      t.same(
        of('warn', 'error')
          .flatMap((message) => fitWarnings([message]))
          .sort(),
        [...answer.warnings].sort(),
        `${kind} ${name}: the warnings`,
      );
    },
  );
  for (const object of stored.filter(isGoing)) {
    const told = lines.filter(({ resource }) => resource.uid === identify(object).uid);
    t.match(
      told,
      [{ result: 'skip', message: /it is being deleted/ }],
      `${identify(object).kind} on its way out`,
    );
  }
});

t.test('what a floor is raised to in the report is what is stored', async (t) => {
  const lines = linesOf((await report('-o', 'json')).stdout);
  const raised = lines.filter(
    ({ policy, result, properties }) =>
      policy === 'memory-floor' && result === 'warn' && properties['wanted'],
  );
  t.same(
    raised.map(({ resource: { name }, properties: { wanted, density } }) => [name, wanted, density]).sort(),
    [
      ['cdi', '2Gi', '40'],
      ['hyperconverged', '2Gi', '40'],
      ['kube-multus-ds', '250Mi', '40'],
    ],
  );
  const stored = await storedObjects();
  for (const { resource, properties } of raised) {
    const object = stored.find((one) => identify(one).uid === resource.uid)!;
    const sent = JSON.stringify(asSent(object, `${resource.name}-again`));
    const made = JSON.parse(
      await kubectl.must(['create', '--dry-run=server', '-o', 'json', '-f', '-'], sent),
    ) as JsonObject;
    const limits: Readonly<Record<string, unknown>> = {
      DaemonSet: at(made, 'spec', 'template', 'spec', 'containers', 0, 'resources', 'limits', 'memory'),
      CDI: at(made, 'spec', 'config', 'podResourceRequirements', 'limits', 'memory'),
      HyperConverged: at(made, 'spec', 'resourceRequirements', 'storageWorkloads', 'limits', 'memory'),
    };
    t.equal(limits[resource.kind], properties['wanted'], `${resource.kind} ${resource.name}`);
  }
});

const RULES = [
  'too-small',
  'tight',
  'oversized',
  'unusable-image',
  'unknown-image',
  'host-assisted',
  'multus',
  'cdi',
  'hyperconverged',
  'collector',
];
const SKIPS = [
  'clone',
  'blank',
  'upload',
  'imageio',
  'vddk',
  'external-population',
  'checkpoints',
  'archive',
  'pre-populated',
  'populated-for',
  'owned-by-datavolume',
  'claim-adoption',
  'static-volume',
  'being-deleted',
  'no-source',
  'no-size',
  'bad-size',
];

t.test('every rule and every skip is among the objects', async (t) => {
  const lines = linesOf((await report('-o', 'json')).stdout);
  for (const rule of RULES) {
    const found = lines.some(
      (line) => line.rule === rule && line.result !== 'skip' && line.result !== 'pass',
    );
    t.ok(found, rule);
  }
  const skipped = lines.filter(({ result }) => result === 'skip');
  for (const code of SKIPS)
    t.ok(
      skipped.some(({ properties }) => properties['reason'] === code),
      code,
    );
  t.equal(skipped.filter(({ properties }) => properties['exempted'] !== undefined).length, 3, 'exempt ones');
});

t.test('every format, of a cluster', async (t) => {
  for (const { name } of FORMATS) {
    const { code, stdout, stderr } = await report('-o', name);
    t.equal(code, 2, `${name}: ${stderr}`);
    t.match(stdout, 'host-assisted', name);
    if (/json|sarif/.test(name)) t.ok(JSON.parse(stdout), name);
    if (/yaml|reports?$/.test(name)) t.ok(parse(stdout), name);
  }
});

t.test('what is asked of the cluster is said, and the selection holds', async (t) => {
  const { stdout, stderr } = await report('-o', 'json', '--namespace', 'kube-system');
  t.equal(stderr, 'plimsoll: the cluster of context test\n');
  t.same(
    [...new Set(linesOf(stdout).map(({ resource }) => resource.kind))].sort(),
    ['CDI', 'DaemonSet', 'Deployment'],
    'kinds without a namespace are read in any case',
  );
  await kubectl.must(['label', 'pvc', 'claim-too-small', '-n', NAMESPACE, 'chosen=yes']);
  const chosen = await report('-o', 'json', '--selector', 'chosen=yes');
  t.match(
    linesOf(chosen.stdout),
    [{ rule: 'too-small', resource: { name: 'claim-too-small' } }],
    'its VolumeImportSource is known all the same',
  );
  t.match(await report('--selector', '!!'), {
    code: 1,
    stdout: '',
    stderr: /refused the request as invalid/,
  });
  t.match(await report('--context', 'nowhere'), { code: 1, stdout: '', stderr: /has no context "nowhere"/ });
});

t.test('a user who may read little is told so', async (t) => {
  process.env.KUBECONFIG = await cluster.userKubeconfig('nobody', []);
  t.teardown(() => {
    process.env.KUBECONFIG = cluster.kubeconfig;
  });
  const { code, stdout, stderr } = await report('-o', 'json');
  t.equal(code, 0);
  t.same(linesOf(stdout), []);
  for (const kind of ['DataVolume', 'DaemonSet', 'Pod', 'StorageClass'])
    t.match(stderr, `plimsoll: this user may not read objects of kind ${kind}\n`);
});

t.test('reports cannot be written where the cluster takes none', async (t) => {
  const missing = await report('--write', 'policyreports');
  t.match(missing, { code: 1, stdout: '' });
  t.match(
    missing.stderr,
    /^plimsoll: the cluster serves no PolicyReport of wgpolicyk8s.io\/v1alpha2: install/m,
  );
  t.match(await report('--write', 'auto'), {
    code: 1,
    stdout: '',
    stderr: /PolicyReport of wgpolicyk8s.io\/v1alpha2 nor Report of openreports.io/,
  });
});

const APIS = [
  {
    name: 'policyreports',
    apiVersion: 'wgpolicyk8s.io/v1alpha2',
    format: 'policyreport',
    resources: 'policyreports.wgpolicyk8s.io,clusterpolicyreports.wgpolicyk8s.io',
    kinds: { Namespaced: 'PolicyReport', Cluster: 'ClusterPolicyReport' },
  },
  {
    name: 'openreports',
    apiVersion: 'openreports.io/v1alpha1',
    format: 'openreports',
    resources: 'reports.openreports.io,clusterreports.openreports.io',
    kinds: { Namespaced: 'Report', Cluster: 'ClusterReport' },
  },
] as const;
type ReportApi = (typeof APIS)[number];

const WRITTEN = ['fail', 'warn', 'error'];

/** Every report in the cluster, ours or not. */
async function storedReports({ resources }: ReportApi): Promise<JsonObject[]> {
  return listAt(await kubectl.getJson(resources, '-A'), 'items') as JsonObject[];
}

const versionsOf = (reports: readonly JsonObject[]) =>
  Object.fromEntries(
    reports.map((report) => [identify(report).name, textAt(report, 'metadata', 'resourceVersion')]),
  );

/** Runs `--write`; what it says that it did. */
async function write(api: ReportApi, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await report('--write', api.name, '--fail-level', 'never', ...args);
  if (code !== 0 || stdout !== '') throw new Error(`${code}: ${stderr}${stdout}`);
  return stderr.split('\n').find((line) => line.startsWith(`plimsoll: ${api.apiVersion}: `)) ?? stderr;
}

const counted = ({ apiVersion }: ReportApi, written: number, unchanged: number, deleted: number) =>
  `plimsoll: ${apiVersion}: ${written} written, ${unchanged} unchanged, ${deleted} deleted`;

const resize = (name: string, size: string) =>
  kubectl.must([
    'patch',
    'datavolume',
    name,
    '-n',
    NAMESPACE,
    '--type=merge',
    '-p',
    JSON.stringify({ spec: { storage: { resources: { requests: { storage: size } } } } }),
  ]);

for (const api of APIS)
  t.test(`reports in the cluster: ${api.name}`, async (t) => {
    await kubectl.must(['create', '-f', '-'], REPORT_CRDS[api.name]);
    await kubectl.must(['wait', '--for=condition=Established', '--timeout=60s', '--all', 'crd']);
    const printed = await report('-o', api.format);
    const accepted = await kubectl.run(
      ['create', '--dry-run=server', '--validate=strict', '-f', '-'],
      printed.stdout,
    );
    t.equal(accepted.code, 0, `what is printed is taken: ${accepted.stderr}`);

    // Kyverno and Kubewarden name their reports by the object's UID as well.
    const lines = linesOf((await report('-o', 'json')).stdout);
    const oversized = lines.find(({ resource }) => resource.name === 'oversized')!.resource;
    const foreign = {
      apiVersion: api.apiVersion,
      kind: api.kinds.Namespaced,
      metadata: {
        name: oversized.uid,
        namespace: NAMESPACE,
        labels: { 'app.kubernetes.io/managed-by': 'another' },
      },
      summary: { pass: 1 },
    };
    await create([foreign]);

    const found = Map.groupBy(
      lines.filter(({ result }) => WRITTEN.includes(result)),
      ({ resource }) => resource.uid,
    );
    t.equal(await write(api), counted(api, found.size, 0, 0), 'a report for each object with findings');
    const all = await storedReports(api);
    const ours = all.filter(
      (one) => textAt(one, 'metadata', 'labels', 'app.kubernetes.io/managed-by') === 'plimsoll',
    );
    t.equal(all.length, ours.length + 1, 'and nothing else');
    t.match(
      all.find(({ metadata }) => at(metadata, 'name') === oversized.uid),
      foreign,
      'that of another is left alone',
    );
    for (const one of ours) {
      const { kind, namespace, name } = identify(one);
      const uid = textAt(one, 'scope', 'uid') ?? '';
      const told = found.get(uid) ?? [];
      const { resource } = told[0]!;
      const title = `${resource.kind} ${resource.name}`;
      t.equal(name, uid === oversized.uid ? `${uid}-plimsoll` : uid, `${title}: its name`);
      t.equal(kind, api.kinds[resource.kind === 'CDI' ? 'Cluster' : 'Namespaced'], `${title}: its kind`);
      const { namespace: home, ...owner } = resource;
      t.same(at(one, 'scope'), home === '' ? owner : resource, `${title}: its scope`);
      t.equal(namespace, home, `${title}: its namespace`);
      t.same(at(one, 'metadata', 'ownerReferences'), [owner], `${title}: its owner`);
      t.same(
        listAt(one, 'results').map((result) => [at(result, 'rule'), at(result, 'result')]),
        told.map(({ rule, result }) => [rule, result]),
        `${title}: its results`,
      );
      t.match(at(one, 'results', 0, 'timestamp'), { seconds: Number, nanos: Number }, `${title}: its time`);
    }
    const wide = await kubectl.must(['get', api.resources.split(',')[0]!, '-n', NAMESPACE, '-o', 'wide']);
    t.match(wide, /DataVolume +too-small +0 +1 +0 +0 +0/, 'kubectl shows what each is about');

    t.equal(await write(api), counted(api, 0, found.size, 0), 'a second run writes nothing');
    t.same(versionsOf(await storedReports(api)), versionsOf(all), 'not even the same again');

    await resize('oversized', '10Gi');
    await resize('too-small', '4Gi');
    t.equal(
      await write(api, '--namespace', 'kube-system'),
      counted(api, 0, [...found.values()].filter(([line]) => isOutside(line!)).length, 0),
      'a run over one namespace has no say in others',
    );
    t.equal(
      await write(api),
      counted(api, 1, found.size - 2, 1),
      'what changed is written, what is clean goes',
    );
    const left = await storedReports(api);
    t.notOk(
      left.some((one) => textAt(one, 'scope', 'uid') === oversized.uid),
      'the clean one’s is gone',
    );
    t.equal(left.length, found.size, 'that of another is still there');
    await resize('oversized', '30Gi');
    await resize('too-small', '5Gi');
  });

/** Whether a run over kube-system alone sees it. */
const isOutside = ({ resource }: Line) => ['CDI', 'DaemonSet', 'Deployment'].includes(resource.kind);

t.test('where both are installed, auto means the one that more viewers know', async (t) => {
  const { code, stderr } = await report('--write', 'auto', '--fail-level', 'never');
  t.equal(code, 0);
  t.match(stderr, /wgpolicyk8s.io\/v1alpha2: \d+ written/);
});

t.test('reports go with their objects', async (t) => {
  const controllers = await startControllers(cluster);
  t.teardown(() => controllers.stop());
  const about = async (api: ReportApi) =>
    (await storedReports(api)).filter((one) => at(one, 'scope', 'name') === 'tight').length;
  for (const api of APIS) t.equal(await about(api), 1, api.name);
  await kubectl.must(['delete', 'datavolume', 'tight', '-n', NAMESPACE]);
  for (const api of APIS)
    await until(`the report is gone: ${api.name}`, async () => (await about(api)) === 0);
});

t.test('as a plugin of kubectl', async (t) => {
  const folder = join(cluster.folder, 'plugin');
  await mkdir(folder);
  // As npm installs a command: a link by that name, which is run by Node.
  const link = join(cluster.folder, 'kubectl-plimsoll');
  await symlink(resolve(import.meta.dirname, '../../src/cli/main.ts'), link);
  const script = `#!/bin/sh\nexec '${process.execPath}' '${link}' "$@"\n`;
  await writeFile(join(folder, 'kubectl-plimsoll'), script, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const file = await findBinary('kubectl');
  const run = (...args: readonly string[]) => runCommand(file, args, '', env);

  t.match(await run('plugin', 'list'), { code: 0, stdout: `${folder}/kubectl-plimsoll` });
  t.match((await run('plimsoll', 'report', '--help')).stdout, 'Usage: kubectl plimsoll report');
  const ran = await run('plimsoll', 'report', '--cluster', '--config', webhook.configFile, '-o', 'json');
  t.equal(ran.code, 2, ran.stderr);
  t.ok(linesOf(ran.stdout).length > 20);
});

t.test('what kustomize and helm print', async (t) => {
  const folder = join(cluster.folder, 'kustomize');
  await mkdir(folder);
  const volumes = kept.filter((object) => at(object, 'metadata', 'name') === 'oversized');
  await writeFile(join(folder, 'volume.json'), JSON.stringify(volumes[0]));
  await writeFile(
    join(folder, 'kustomization.yaml'),
    'namespace: other\nnamePrefix: big-\nresources: [volume.json]\n',
  );
  const built = await kubectl.must(['kustomize', folder]);
  const config = ['--config', webhook.configFile, '-o', 'json'];
  const ofKustomize = await plimsoll(['report', '-f', '-', ...config], built);
  t.equal(ofKustomize.code, 2, ofKustomize.stderr);
  t.match(linesOf(ofKustomize.stdout), [
    { rule: 'oversized', resource: { namespace: 'other', name: 'big-oversized' } },
  ]);

  const helm = await helmIn(cluster.folder);
  const chart = await helm.must(['template', 'plimsoll', CHART, '-n', 'plimsoll']);
  t.match(await plimsoll(['report', '-f', '-', ...config], chart), { code: 0, stderr: '' });
});
