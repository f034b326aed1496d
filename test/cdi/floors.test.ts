import t from 'tap';
import { at } from '../../src/object/object.ts';
import { startCluster } from '../cluster/harness/cluster.ts';
import { until } from '../cluster/harness/until.ts';
import { startWebhook } from '../cluster/plimsoll.ts';
import { cdiResource, startCdiController } from './controller.ts';

t.setTimeout(600_000);

const MEMORY = ['limits', 'memory'];

const DATA_VOLUME = {
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name: 'disk', namespace: 'default' },
  spec: {
    source: { blank: {} },
    storage: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '10Gi' } },
    },
  },
};

t.test('a CDI resource without limits', async (t) => {
  const cluster = await startCluster({ crds: ['cdi'] });
  t.teardown(() => cluster.stop());
  const { kubectl } = cluster;
  const webhook = await startWebhook(cluster, {
    memoryFloor: { density: { statistic: 'fixed', pods: 90 } },
  });
  t.teardown(() => webhook.program.stop());
  t.match(await kubectl.apply(JSON.stringify(cdiResource({}))), { code: 0 }, 'is admitted');
  const controller = await startCdiController(cluster);
  t.teardown(() => controller.stop());

  const config = await kubectl.getJson('cdiconfig', 'config');
  const defaults = at(config, 'status', 'defaultPodResourceRequirements');
  t.equal(at(defaults, ...MEMORY), '2Gi', 'CDI takes up the floor that the webhook wrote');
  t.equal(at(defaults, 'requests', 'memory'), '60M', 'and its own request');

  await kubectl.must(['create', '-f', '-'], JSON.stringify(DATA_VOLUME));
  let container: unknown;
  await until('CDI has made the pod', async () => {
    container = at(await kubectl.getJson('pods'), 'items', 0, 'spec', 'containers', 0);
    return container !== undefined;
  });
  t.equal(at(container, 'name'), 'importer');
  t.equal(at(container, 'resources', ...MEMORY), '2Gi', 'the importer’s pod has it as its limit');
});
