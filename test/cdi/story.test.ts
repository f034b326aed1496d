import { join } from 'node:path';
import t from 'tap';
import { at } from '../../src/object/object.ts';
import { type Cluster, startCluster } from '../cluster/harness/cluster.ts';
import type { Running } from '../cluster/harness/processes.ts';
import { until } from '../cluster/harness/until.ts';
import { startWebhook, type Webhook } from '../cluster/plimsoll.ts';
import { cdiResource, startCdiController, untilClassesAreKnown } from './controller.ts';
import { type FileServer, serveFiles } from './file-server.ts';
import { runImporter } from './importer.ts';
import { program } from './making.ts';

t.setTimeout(600_000);

let cluster: Cluster;
let images: FileServer;
let webhook: Webhook;
let controller: Running;

const STORAGE_CLASS = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'disks', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'disks.example',
};
const CLAIMS = JSON.stringify({
  spec: { claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' }] },
});

t.before(async () => {
  cluster = await startCluster({ crds: ['cdi'] });
  const { kubectl, folder } = cluster;
  await kubectl.must(['create', '-f', '-'], JSON.stringify(cdiResource({})));
  controller = await startCdiController(cluster);
  await kubectl.must(['create', '-f', '-'], JSON.stringify(STORAGE_CLASS));
  await untilClassesAreKnown(cluster);
  await kubectl.must(['patch', 'storageprofile', 'disks', '--type=merge', '-p', CLAIMS]);

  await program('qemu-img', 'create', '-q', '-f', 'qcow2', join(folder, 'base.qcow2'), '10G');
  images = await serveFiles(folder);
  webhook = await startWebhook(cluster, {
    probe: { addresses: { mode: 'allowlist', allow: [images.host] } },
  });
});

t.teardown(async () => {
  await webhook?.program.stop();
  images?.stop();
  await controller?.stop();
  await cluster?.stop();
});

function applyBase(size: string) {
  return cluster.kubectl.apply(`
    apiVersion: cdi.kubevirt.io/v1beta1
    kind: DataVolume
    metadata: { name: base, namespace: default }
    spec:
      source: { http: { url: "${images.urlOf('base.qcow2')}" } }
      storage: { resources: { requests: { storage: ${size} } } }`);
}

const importInto = (pvcSize: string) => runImporter({ url: images.urlOf('base.qcow2'), pvcSize });

/** The size of the PVC that CDI's controller makes of the base. */
async function claimOfBase(): Promise<string> {
  let size: unknown;
  await until('CDI has made the PVC', async () => {
    const { code, stdout } = await cluster.kubectl.run(['get', 'pvc', 'base', '-o', 'json']);
    size = code === 0 ? at(JSON.parse(stdout), 'spec', 'resources', 'requests', 'storage') : undefined;
    return size !== undefined;
  });
  return String(size);
}

t.test('a base volume finds its size', async (t) => {
  const tooLarge = await applyBase('30Gi');
  t.match(tooLarge, { code: 1, stderr: /asks for 30Gi.*Ask for 10Gi\./ }, 'with 30Gi it is denied');

  const tooSmall = await applyBase('5Gi');
  t.match(
    tooSmall,
    { code: 1, stderr: /"DataVolume too small to contain image".*Ask for 10Gi\./ },
    'with 5Gi it is denied',
  );
  t.match(
    await importInto('5Gi'),
    {
      imported: false,
      message: /virtual image size 10737418240 is larger than the reported available storage 5368709120/,
    },
    'with 5Gi the import does fail, and for that reason',
  );

  const [, suggested = ''] = /Ask for (\w+)\./.exec(tooSmall.stderr) ?? [];
  const admitted = await applyBase(suggested);
  t.match(admitted, { code: 0 }, `with ${suggested}, as suggested, it is admitted: ${admitted.stderr}`);
  const claim = await claimOfBase();
  t.equal(claim, '11381663335', 'CDI asks for a PVC that has room for the filesystem too');
  t.match(await importInto(claim), { imported: true }, 'into that PVC the import completes');
});
