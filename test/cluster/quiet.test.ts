import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { connectCluster } from '../../src/kube/client.ts';
import { type JsonObject, objectAt } from '../../src/object/object.ts';
import {
  cdiOf,
  multusOf,
  readStored,
  type StoredObject,
  storedParts,
  TEMPLATE_ANNOTATIONS,
} from './floor-objects.ts';
import { findBinary } from './harness/binaries.ts';
import { startCluster } from './harness/cluster.ts';
import { type CommandResult, runCommand } from './harness/kubectl.ts';
import { startWebhook } from './plimsoll.ts';

t.setTimeout(600_000);

const cluster = await startCluster({ crds: ['cdi'] });
t.teardown(() => cluster.stop());
const webhook = await startWebhook(cluster, { memoryFloor: { density: { statistic: 'fixed', pods: 90 } } });
t.teardown(() => webhook.program.stop());
const { kubectl } = cluster;

/** Either kind, as its author writes it, and what is made of it at 90 pods a node. */
const KINDS = [
  {
    kind: 'DaemonSet',
    written: '50Mi',
    raised: '500Mi',
    scope: ['-n', 'kube-system'],
    manifest: (name: string) => multusOf(name, '50Mi'),
    /** The resources of the manifest where they lie in the object. */
    merge: (resources: object) => ({
      spec: { template: { spec: { containers: [{ name: 'kube-multus', resources }] } } },
    }),
    limitPointer: '/spec/template/spec/containers/0/resources/limits/memory',
    /** How Helm 3 and kubectl patch that kind. */
    mergeType: 'strategic',
  },
  {
    kind: 'CDI',
    written: '600M',
    raised: '2Gi',
    scope: [],
    manifest: (name: string) => cdiOf(name, '600M'),
    merge: (resources: object) => ({ spec: { config: { podResourceRequirements: resources } } }),
    limitPointer: '/spec/config/podResourceRequirements/limits/memory',
    mergeType: 'merge',
  },
] as const;
type Kind = (typeof KINDS)[number];

interface Writer {
  readonly name: string;
  /** Writes the manifest's own value. `flags` ask for a dry run. */
  readonly write: (kind: Kind, name: string, flags: readonly string[]) => Promise<CommandResult>;
  /** It is the first to write the object; the others find it made by `kubectl create`. */
  readonly creates: boolean;
}

const apply =
  (...how: readonly string[]): Writer['write'] =>
  ({ manifest }, name, flags) =>
    kubectl.run(['apply', '-f', '-', ...how, ...flags], JSON.stringify(manifest(name)));

const patch =
  (type: (kind: Kind) => string, body: (kind: Kind) => object, ...how: readonly string[]): Writer['write'] =>
  (kind, name, flags) =>
    kubectl.run([
      'patch',
      kind.kind.toLowerCase(),
      name,
      ...kind.scope,
      `--type=${type(kind)}`,
      '-p',
      JSON.stringify(body(kind)),
      ...how,
      ...flags,
    ]);

const helmFile = await findBinary('helm');
const helmEnv = {
  ...process.env,
  HELM_CACHE_HOME: join(cluster.folder, 'helm'),
  HELM_CONFIG_HOME: join(cluster.folder, 'helm'),
  HELM_DATA_HOME: join(cluster.folder, 'helm'),
};

/** Helm itself, over a chart of that one object. */
const helm =
  (prefix: string, ...how: readonly string[]): Writer['write'] =>
  async ({ manifest }, name, flags) => {
    const chart = join(cluster.folder, `chart-${prefix}-${name}`);
    await mkdir(join(chart, 'templates'), { recursive: true });
    await writeFile(join(chart, 'Chart.yaml'), JSON.stringify({ apiVersion: 'v2', name, version: '1.0.0' }));
    await writeFile(join(chart, 'templates', 'object.yaml'), JSON.stringify(manifest(name)));
    const args = ['upgrade', '--install', name, chart, '-n', 'kube-system', ...how, ...flags];
    return runCommand(helmFile, ['--kubeconfig', cluster.kubeconfig, ...args], '', helmEnv);
  };

const WRITERS: readonly Writer[] = [
  { name: 'client-side apply', creates: true, write: apply() },
  { name: 'server-side apply', creates: true, write: apply('--server-side', '--field-manager=first') },
  {
    name: 'server-side apply by a second manager',
    creates: false,
    write: apply('--server-side', '--field-manager=second', '--force-conflicts'),
  },
  {
    name: 'a JSON patch of the limit',
    creates: false,
    write: patch(
      () => 'json',
      ({ limitPointer, written }) => [{ op: 'replace', path: limitPointer, value: written }],
    ),
  },
  {
    name: 'kubectl replace',
    creates: false,
    write: ({ manifest }, name, flags) =>
      kubectl.run(['replace', '-f', '-', ...flags], JSON.stringify(manifest(name))),
  },
  {
    name: 'the patch of a three-way merge',
    creates: false,
    write: patch(
      ({ mergeType }) => mergeType,
      ({ merge, written }) => merge({ limits: { memory: written } }),
      '--field-manager=helm',
    ),
  },
  { name: 'Helm, client-side', creates: true, write: helm('client', '--server-side=false') },
  { name: 'Helm, server-side', creates: true, write: helm('server', '--server-side=true') },
];

const nameOf = (writer: string) => writer.toLowerCase().replace(/[^a-z]+/g, '-');
const must = async (running: Promise<CommandResult>) => {
  const { code, stdout, stderr } = await running;
  if (code !== 0) throw new Error(stderr);
  return stdout;
};

/** What holds of a raised object, whoever wrote it last. */
function checkRaised(t: Test, kind: Kind, stored: StoredObject): void {
  t.equal(stored.limit, kind.raised, 'the limit is the floor');
  t.notOk(
    stored.managers.some((manager) => /plimsoll/i.test(manager)),
    `we own no field: ${stored.managers}`,
  );
  if (kind.kind !== 'DaemonSet') return;
  t.same(stored.resources, {
    requests: { cpu: '100m', memory: kind.raised },
    limits: { cpu: '100m', memory: kind.raised },
  });
  t.match(stored.templateMetadata, { annotations: TEMPLATE_ANNOTATIONS });
  t.same(
    Object.keys(objectAt(stored.templateMetadata, 'annotations') ?? {}),
    Object.keys(TEMPLATE_ANNOTATIONS),
  );
}

for (const writer of WRITERS)
  for (const kind of KINDS)
    t.test(`${writer.name}, ${kind.kind}`, async (t) => {
      const name = nameOf(writer.name);
      const read = () => readStored(cluster, kind.kind, name);
      if (!writer.creates) await kubectl.must(['create', '-f', '-'], JSON.stringify(kind.manifest(name)));
      else await must(writer.write(kind, name, []));
      const created = await read();
      checkRaised(t, kind, created);
      // Managers are listed by the second of their last change, and two of one second by their names.
      if (!writer.creates) await setTimeout(1100);

      await must(writer.write(kind, name, []));
      const first = await read();
      checkRaised(t, kind, first);
      t.equal(first.generation, created.generation, 'generation after its first write of the lower value');
      // A manager that is new to the object is noted there, whatever it writes.
      if (writer.creates)
        t.equal(first.resourceVersion, created.resourceVersion, 'resourceVersion after that');

      for (const round of ['second', 'third']) {
        await must(writer.write(kind, name, []));
        const again = await read();
        t.equal(again.resourceVersion, first.resourceVersion, `resourceVersion after its ${round} write`);
        t.equal(again.generation, first.generation, `generation after its ${round} write`);
      }
      if (writer.name.startsWith('Helm')) return;
      const dry = JSON.parse(await must(writer.write(kind, name, ['--dry-run=server', '-o', 'json'])));
      t.same(storedParts(dry).spec, first.spec, 'a dry run answers what is stored');
      t.equal((await read()).resourceVersion, first.resourceVersion, 'and stores nothing');
    });

t.test('a second manager that does not force is told of the conflict, and nothing changes', async (t) => {
  for (const kind of KINDS) {
    const name = `shared-${kind.kind.toLowerCase()}`;
    await must(apply('--server-side', '--field-manager=first')(kind, name, []));
    const before = await readStored(cluster, kind.kind, name);
    const { code, stderr } = await apply('--server-side', '--field-manager=second')(kind, name, []);
    t.equal(code, 1);
    t.match(stderr, /conflicts? with "first".*limits\.memory/s);
    t.equal((await readStored(cluster, kind.kind, name)).resourceVersion, before.resourceVersion);
  }
});

t.test('a stored limit a little over the floor is kept as it is written', async (t) => {
  const higher = { DaemonSet: multusOf('sticky', '0.6Gi'), CDI: cdiOf('sticky', '2500M') };
  for (const kind of KINDS) {
    await kubectl.must(['create', '-f', '-'], JSON.stringify(higher[kind.kind]));
    const before = await readStored(cluster, kind.kind, 'sticky');
    for (const how of [['--server-side', '--field-manager=second', '--force-conflicts'], []]) {
      await must(apply(...how)(kind, 'sticky', []));
      const after = await readStored(cluster, kind.kind, 'sticky');
      t.equal(after.limit, before.limit, `${kind.kind}: the limit`);
      t.equal(after.generation, before.generation, `${kind.kind}: generation`);
    }
  }
});

t.test('a dry run of a creation answers what the creation stores', async (t) => {
  for (const kind of KINDS) {
    const name = `dry-${kind.kind.toLowerCase()}`;
    for (const how of [[], ['--server-side']]) {
      const dry = JSON.parse(await must(apply(...how)(kind, name, ['--dry-run=server', '-o', 'json'])));
      t.equal(storedParts(dry).limit, kind.raised);
    }
    await must(apply()(kind, name, []));
    checkRaised(t, kind, await readStored(cluster, kind.kind, name));
  }
});

const WRITES = 600;
const EVERY_MS = 100;

t.test('an operator that writes its own value ten times a second changes nothing', async (t) => {
  const connection = await connectCluster({ kind: 'kubeconfig', file: cluster.kubeconfig }, 'operator/test');
  t.teardown(() => connection.close());
  const { api } = connection;
  const daemonSets = '/apis/apps/v1/namespaces/kube-system/daemonsets';
  const cdis = '/apis/cdi.kubevirt.io/v1beta1/cdis';
  const multus = multusOf('loop', '50Mi') as JsonObject;
  const cdi = cdiOf('loop', '600M') as JsonObject;
  // One of either sort: server-side apply, and a whole object over what it has read.
  const writeMultus = () => api.apply(`${daemonSets}/loop`, multus, 'operator');
  const writeCdi = async () => {
    const stored = await api.get(`${cdis}/loop`);
    return api.update(`${cdis}/loop`, { ...cdi, metadata: objectAt(stored, 'metadata') });
  };
  await api.create(daemonSets, multus);
  await api.create(cdis, cdi);
  await writeMultus();
  await writeCdi();
  const read = () => Promise.all(KINDS.map(({ kind }) => readStored(cluster, kind, 'loop')));
  const before = await read();
  const contended = async (target: string) =>
    Number(
      new RegExp(`^plimsoll_contended_writes_total\\{target="${target}"\\} (\\d+)$`, 'm').exec(
        await webhook.metrics(),
      )?.[1] ?? 0,
    );
  const counted = { multus: await contended('multus'), cdi: await contended('cdi') };

  const running: Promise<unknown>[] = [];
  for (let write = 0; write < WRITES; write++) {
    running.push(writeMultus(), writeCdi());
    await setTimeout(EVERY_MS);
  }
  await Promise.all(running);

  for (const [index, after] of (await read()).entries()) {
    checkRaised(t, KINDS[index]!, after);
    t.equal(after.resourceVersion, before[index]?.resourceVersion, `resourceVersion after ${WRITES} writes`);
    t.equal(after.generation, before[index]?.generation, `generation after ${WRITES} writes`);
  }
  t.equal((await contended('multus')) - counted.multus, WRITES, 'every one was told as contention: multus');
  t.equal((await contended('cdi')) - counted.cdi, WRITES, 'and cdi');
});
