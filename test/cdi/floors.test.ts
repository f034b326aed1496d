import t from 'tap';
import { at, listAt } from '../../src/object/object.ts';
import { type Cluster, startCluster } from '../cluster/harness/cluster.ts';
import type { Running } from '../cluster/harness/processes.ts';
import { until } from '../cluster/harness/until.ts';
import { startWebhook, type Webhook } from '../cluster/plimsoll.ts';
import { cdiResource, startCdiController } from './controller.ts';

t.setTimeout(600_000);

let cluster: Cluster;
let webhook: Webhook;
let controller: Running;

t.before(async () => {
  cluster = await startCluster({ crds: ['cdi'] });
  webhook = await startWebhook(cluster, { memoryFloor: { density: { statistic: 'fixed', pods: 90 } } });
  const { code, stderr } = await cluster.kubectl.apply(JSON.stringify(cdiResource({})));
  if (code !== 0) throw new Error(`the CDI resource was not taken: ${stderr}`);
  controller = await startCdiController(cluster);
});

t.teardown(async () => {
  await controller?.stop();
  await webhook?.program.stop();
  await cluster?.stop();
});

const MEMORY = ['limits', 'memory'];

t.test('CDI takes up the floor that the webhook wrote', async (t) => {
  const config = await cluster.kubectl.getJson('cdiconfig', 'config');
  t.equal(at(config, 'status', 'defaultPodResourceRequirements', ...MEMORY), '2Gi');
  t.equal(
    at(config, 'status', 'defaultPodResourceRequirements', 'requests', 'memory'),
    '60M',
    'not the request',
  );
});

t.test('and the importer’s pod has it as its limit', async (t) => {
  const { kubectl } = cluster;
  const volume = {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'base', namespace: 'default' },
    spec: {
      source: { http: { url: 'http://images.example/base.qcow2' } },
      storage: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: '',
        resources: { requests: { storage: '10Gi' } },
      },
    },
  };
  // What the webhook says of an image that it can not see is no part of this.
  await kubectl.must(['delete', 'validatingwebhookconfiguration', 'plimsoll']);
  await kubectl.must(['create', '-f', '-'], JSON.stringify(volume));
  let container: unknown;
  await until('CDI has made the pod', async () => {
    const [pod] = listAt(await kubectl.getJson('pods'), 'items');
    [container] = listAt(pod, 'spec', 'containers');
    return container !== undefined;
  });
  t.equal(at(container, 'name'), 'importer');
  t.equal(at(container, 'resources', ...MEMORY), '2Gi');
});
