import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { at, listAt } from '../../src/object/object.ts';
import { findBinary, findManifest } from './harness/binaries.ts';
import { startCluster } from './harness/cluster.ts';
import { startControllers } from './harness/controllers.ts';
import { until } from './harness/until.ts';

const AUDIT_POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    verbs: [create]
    resources: [{ group: "", resources: [namespaces] }]
  - level: None
`;

// tap kills a file after 30 s, which is less than a cold cluster may take.
t.setTimeout(600_000);

const cluster = await startCluster({ crds: ['cdi'], auditPolicy: AUDIT_POLICY });
t.teardown(() => cluster.stop());

t.test('the custom resources of CDI are served', async (t) => {
  const list = await cluster.kubectl.getJson('crd');
  const names = listAt(list, 'items').map((crd) => at(crd, 'metadata', 'name'));
  for (const name of ['cdis', 'cdiconfigs', 'datavolumes', 'dataimportcrons', 'storageprofiles']) {
    t.ok(names.includes(`${name}.cdi.kubevirt.io`), name);
  }
});

t.test('an administrator creates, and the API server holds it against the schema', async (t) => {
  const { kubectl } = cluster;
  t.match(await kubectl.apply('{ apiVersion: v1, kind: Namespace, metadata: { name: vms } }'), {
    code: 0,
    stdout: /namespace\/vms created/,
  });
  const volume = (source: string) => `
    apiVersion: cdi.kubevirt.io/v1beta1
    kind: DataVolume
    metadata: { name: base, namespace: vms }
    spec:
      source: ${source}
      storage: { resources: { requests: { storage: 10Gi } } }`;
  t.match(await kubectl.apply(volume('[]')), { code: 1, stderr: /spec\.source/ });
  t.match(await kubectl.apply(volume('{ blank: {} }')), { code: 0 });
  t.equal(
    at(
      await kubectl.getJson('-n', 'vms', 'dv', 'base'),
      'spec',
      'storage',
      'resources',
      'requests',
      'storage',
    ),
    '10Gi',
  );
});

t.test('a user may do what RBAC grants, and no more', async (t) => {
  const ann = cluster.kubectlAs(await cluster.userKubeconfig('ann', ['ops', 'dev']));
  t.match(await ann.run(['get', 'pods']), { code: 1, stderr: /User "ann" cannot list resource "pods"/ });
  const { kubectl } = cluster;
  await kubectl.must(['create', 'clusterrole', 'pods', '--verb=list', '--resource=pods']);
  await kubectl.must(['create', 'clusterrolebinding', 'ops', '--clusterrole=pods', '--group=ops']);
  await until('the role is in force', async () => (await ann.run(['get', 'pods'])).code === 0);
  t.match(await ann.run(['create', 'namespace', 'hers']), { code: 1, stderr: /forbidden/ });
});

t.test('the audit log tells who created what', async (t) => {
  const created = (await cluster.apiServer.auditEvents()).map((event) => ({
    user: at(event, 'user', 'username'),
    code: at(event, 'responseStatus', 'code'),
    name: at(event, 'objectRef', 'name'),
  }));
  t.ok(created.some(({ user, code, name }) => user === 'admin' && code === 201 && name === 'vms'));
  t.ok(created.some(({ user, code }) => user === 'ann' && code === 403));
});

t.test('controllers make the pods of a DaemonSet, and collect what has lost its owner', async (t) => {
  const controllers = await startControllers(cluster);
  t.teardown(() => controllers.stop());
  const { kubectl } = cluster;
  await kubectl.must(['create', '-f', '-'], '{ apiVersion: v1, kind: Node, metadata: { name: node-1 } }');
  const daemon = `
    apiVersion: apps/v1
    kind: DaemonSet
    metadata: { name: daemon, namespace: vms }
    spec:
      selector: { matchLabels: { app: daemon } }
      template:
        metadata: { labels: { app: daemon } }
        spec:
          # As network daemons have: nobody takes the taint "not ready" from a node that no kubelet is on.
          tolerations: [{ operator: Exists }]
          containers: [{ name: daemon, image: daemon.example/daemon }]`;
  await kubectl.must(['create', '-f', '-'], daemon);
  const pods = async () => listAt(await kubectl.getJson('pods', '-n', 'vms'), 'items');
  await until('the pod is there', async () => (await pods()).length > 0);
  t.match(await pods(), [{ metadata: { ownerReferences: [{ kind: 'DaemonSet', name: 'daemon' }] } }]);
  await kubectl.must(['delete', 'daemonset', '-n', 'vms', 'daemon']);
  await until('the pod is gone', async () => (await pods()).length === 0);
});

t.test('nothing is left of a cluster that was stopped', async (t) => {
  const { folder, apiServer, stop } = await startCluster();
  t.same(apiServer.pids.map(isRunning), [true, true], 'etcd and kube-apiserver');
  await stop();
  t.same(apiServer.pids.map(isRunning), [false, false]);
  t.equal(existsSync(folder), false);
});

t.test('nothing is left of a cluster whose test was killed', async (t) => {
  const harness = new URL('./harness/cluster.ts', import.meta.url).href;
  const script = `
    const { startCluster } = await import(${JSON.stringify(harness)});
    const { folder, apiServer } = await startCluster();
    console.log(JSON.stringify({ folder, pids: apiServer.pids }));
    setInterval(() => {}, 1000);
  `;
  const killed = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => killed.kill('SIGKILL'));
  const [line] = await once(killed.stdout, 'data');
  const { folder, pids }: { folder: string; pids: number[] } = JSON.parse(String(line));
  t.same(pids.map(isRunning), [true, true], 'etcd and kube-apiserver');

  killed.kill('SIGKILL');
  await until('they have ended', () => !pids.some(isRunning));
  await until('their folder is removed', () => !existsSync(folder));
});

t.test('where the binaries come from', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-binaries-'));
  const { PATH, XDG_CACHE_HOME, KUBEBUILDER_ASSETS } = process.env;
  t.teardown(async () => {
    setEnvironment({ PATH, XDG_CACHE_HOME, KUBEBUILDER_ASSETS });
    await rm(folder, { recursive: true });
  });
  setEnvironment({ PATH: folder, XDG_CACHE_HOME: folder, KUBEBUILDER_ASSETS: undefined });
  await t.rejects(findBinary('etcd'), { code: 'no-go', message: /^etcd is missing/ });
  await t.rejects(findManifest('crds.yaml'), { code: 'no-go', message: /^crds\.yaml is missing/ });

  await writeFile(join(folder, 'etcd'), '');
  setEnvironment({ KUBEBUILDER_ASSETS: folder });
  t.equal(await findBinary('etcd'), join(folder, 'etcd'));
  await t.rejects(findBinary('helm'), { code: 'no-go' }, 'what is not there is made all the same');
  const files = await readdir(join(folder, 'plimsoll-test'), { recursive: true, withFileTypes: true });
  t.same(
    files.filter((file) => !/^[0-9a-f]{16}$/.test(file.name)),
    [],
    'nothing half made is left',
  );
});

/** Sets variables of this process; undefined takes one away. */
function setEnvironment(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Where init does not collect its children, they stay as zombies.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
