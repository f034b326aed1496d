// A release with self-managed certificates: the rights of its ServiceAccount, and that upgrades and uninstall do right by
// what Plimsoll writes, which is written here in its place.
import t from 'tap';
import { at } from '../../src/object/object.ts';
import { CHART, type Helm, helmIn } from './chart/helm.ts';
import { everything } from './chart/inventory.ts';
import { NAMESPACE, release, storedWebhook } from './chart/release.ts';
import { certificate } from './chart/serving.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';

let cluster: Cluster;
let helm: Helm;

// A loaded machine takes its time.
t.setTimeout(300_000);

t.before(async () => {
  cluster = await startCluster({ crds: ['cdi'] });
  helm = await helmIn(cluster.folder, cluster.kubeconfig);
  await cluster.kubectl.must(['create', 'namespace', NAMESPACE]);
});

t.teardown(() => cluster?.stop());

t.test('with self-managed certificates, from install to uninstall', async (t) => {
  const { kubectl } = cluster;
  const account = `system:serviceaccount:${NAMESPACE}:plimsoll`;
  const before = await everything(cluster);
  const { caPem } = await certificate(cluster);
  await release(helm, 'install', CHART);

  await t.test('the ServiceAccount may do what Plimsoll does, and no more', async (t) => {
    const own = ['-n', NAMESPACE];
    const rows: [allowed: boolean, ...question: string[]][] = [
      [true, 'list', 'pods', '-A'],
      [true, 'list', 'nodes'],
      [true, 'list', 'storageclasses.storage.k8s.io'],
      [true, 'get', 'cdiconfigs.cdi.kubevirt.io/config'],
      [true, 'list', 'storageprofiles.cdi.kubevirt.io'],
      [true, 'patch', 'validatingwebhookconfigurations/plimsoll'],
      [true, 'patch', 'mutatingwebhookconfigurations/plimsoll'],
      [true, 'update', 'leases.coordination.k8s.io/plimsoll-leader', ...own],
      [true, 'update', 'configmaps/plimsoll-density', ...own],
      [true, 'update', 'secrets/plimsoll-tls', ...own],
      [true, 'get', 'configmaps/multus-daemon-config', '-n', 'kube-system'],
      [false, 'create', 'validatingwebhookconfigurations'],
      [false, 'patch', 'validatingwebhookconfigurations/other'],
      [false, 'list', 'validatingwebhookconfigurations'],
      [false, 'get', 'secrets/other', ...own],
      [false, 'list', 'secrets', ...own],
      [false, 'create', 'secrets', ...own],
      [false, 'get', 'secrets/plimsoll-tls', '-n', 'default'],
      [false, 'get', 'configmaps/other', ...own],
      [false, 'get', 'configmaps/other', '-n', 'kube-system'],
      [false, 'list', 'datavolumes.cdi.kubevirt.io', '-A'],
      [false, 'patch', 'daemonsets.apps', '-n', 'kube-system'],
    ];
    for (const [allowed, ...question] of rows) {
      const { stdout } = await kubectl.run(['auth', 'can-i', ...question, `--as=${account}`]);
      t.equal(stdout.trim(), allowed ? 'yes' : 'no', question.join(' '));
    }
  });

  const caBundle = Buffer.from(caPem).toString('base64');
  await t.test('what Plimsoll writes, it may write', async (t) => {
    for (const [kind, name] of [
      ['ValidatingWebhookConfiguration', 'volumes.plimsoll.dev'],
      ['MutatingWebhookConfiguration', 'floors.plimsoll.dev'],
    ] as const) {
      const { code, stderr } = await kubectl.apply(
        JSON.stringify({
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind,
          metadata: { name: 'plimsoll' },
          webhooks: [{ name, clientConfig: { caBundle } }],
        }),
        '--server-side',
        '--field-manager=plimsoll',
        `--as=${account}`,
      );
      t.equal(code, 0, `${kind}: ${stderr}`);
    }
    for (const [object, content] of [
      ['secret/plimsoll-tls', { stringData: { 'tls.crt': 'a certificate' } }],
      ['configmap/plimsoll-density', { data: { 'highWaterMark.json': '{}' } }],
    ] as const) {
      const patch = ['patch', object, '-n', NAMESPACE, '--type=merge', '-p', JSON.stringify(content)];
      await kubectl.must(patch);
    }
  });

  await t.test('upgrades leave it alone, whichever way helm writes', async (t) => {
    for (const how of ['--server-side=true', '--server-side=false']) {
      const timeout = how.endsWith('true') ? '7' : '6';
      await release(helm, 'upgrade', CHART, how, '--set', `webhooks.validating.timeoutSeconds=${timeout}`);
      const webhook = await storedWebhook(cluster, 'validating', 'volumes.plimsoll.dev');
      t.equal(at(webhook, 'timeoutSeconds'), Number(timeout), `${how}: it has upgraded`);
      t.equal(at(webhook, 'clientConfig', 'caBundle'), caBundle, `${how}: caBundle`);
      t.equal(
        at(await storedWebhook(cluster, 'mutating', 'floors.plimsoll.dev'), 'clientConfig', 'caBundle'),
        caBundle,
      );
      const secret = await kubectl.getJson('secret', 'plimsoll-tls', '-n', NAMESPACE);
      t.ok(at(secret, 'data', 'tls.crt'), `${how}: Secret`);
      const marks = await kubectl.getJson('configmap', 'plimsoll-density', '-n', NAMESPACE);
      t.equal(at(marks, 'data', 'highWaterMark.json'), '{}', `${how}: marks`);
    }
  });

  await t.test('a Secret that was deleted by hand is back after an upgrade', async (t) => {
    await kubectl.must(['delete', 'secret', 'plimsoll-tls', '-n', NAMESPACE]);
    await release(helm, 'upgrade', CHART);
    t.equal((await kubectl.run(['get', 'secret', 'plimsoll-tls', '-n', NAMESPACE])).code, 0);
  });

  await t.test('uninstall leaves nothing', async (t) => {
    await release(helm, 'uninstall');
    t.same(await everything(cluster), before);
  });
});
