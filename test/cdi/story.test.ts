import { join } from 'node:path';
import t, { type Test } from 'tap';
import { at } from '../../src/object/object.ts';
import { type Cluster, startCluster } from '../cluster/harness/cluster.ts';
import { until } from '../cluster/harness/until.ts';
import { startWebhook } from '../cluster/plimsoll.ts';
import { cdiResource, startCdiController, untilClassesAreKnown } from './controller.ts';
import { type FileServer, serveFiles } from './file-server.ts';
import { runImporter } from './importer.ts';
import { program } from './making.ts';

t.setTimeout(600_000);

const STORAGE_CLASS = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'disks', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'disks.example',
};
const CLAIMS = JSON.stringify({
  spec: { claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' }] },
});

interface Stage {
  readonly cluster: Cluster;
  readonly images: FileServer;
}

/** A cluster with CDI, one StorageClass, the webhook, and the image on a server. */
async function setTheStage(t: Test): Promise<Stage> {
  const cluster = await startCluster({ crds: ['cdi'] });
  t.teardown(() => cluster.stop());
  await cluster.kubectl.must(['create', '-f', '-'], JSON.stringify(cdiResource({})));
  const controller = await startCdiController(cluster);
  t.teardown(() => controller.stop());
  await cluster.kubectl.must(['create', '-f', '-'], JSON.stringify(STORAGE_CLASS));
  await untilClassesAreKnown(cluster);
  await cluster.kubectl.must(['patch', 'storageprofile', 'disks', '--type=merge', '-p', CLAIMS]);

  // 10 GiB once it is decompressed, of which nothing is stored: the webhook and the importer read no more than its header.
  await program('qemu-img', 'create', '-q', '-f', 'qcow2', join(cluster.folder, 'base.qcow2'), '10G');
  const images = await serveFiles(cluster.folder);
  t.teardown(() => images.stop());
  const webhook = await startWebhook(cluster, {
    probe: { addresses: { mode: 'allowlist', allow: [images.host] } },
  });
  t.teardown(() => webhook.program.stop());
  return { cluster, images };
}

function applyBase({ cluster, images }: Stage, size: string) {
  return cluster.kubectl.apply(`
    apiVersion: cdi.kubevirt.io/v1beta1
    kind: DataVolume
    metadata: { name: base, namespace: default }
    spec:
      source: { http: { url: "${images.urlOf('base.qcow2')}" } }
      storage: { resources: { requests: { storage: ${size} } } }`);
}

/** The size of the PVC that CDI's controller makes of the base. */
async function claimOfBase({ cluster }: Stage): Promise<string> {
  let size: unknown;
  await until('CDI has made the PVC', async () => {
    const claims = await cluster.kubectl.getJson('pvc');
    size = at(claims, 'items', 0, 'spec', 'resources', 'requests', 'storage');
    return size !== undefined;
  });
  return String(size);
}

t.test('a base volume finds its size', async (t) => {
  const stage = await setTheStage(t);
  const importInto = (pvcSize: string) =>
    runImporter({ source: 'http', url: stage.images.urlOf('base.qcow2'), pvcSize });
  const tooLarge = await applyBase(stage, '30Gi');
  t.match(tooLarge, { code: 1, stderr: /asks for 30Gi.*Ask for 10Gi\./ }, 'with 30Gi it is denied');

  const tooSmall = await applyBase(stage, '5Gi');
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
  const admitted = await applyBase(stage, suggested);
  t.match(admitted, { code: 0 }, `with ${suggested}, as suggested, it is admitted: ${admitted.stderr}`);
  const claim = await claimOfBase(stage);
  t.equal(claim, '11381663335', 'CDI asks for a PVC that has room for the filesystem too');
  t.match(await importInto(claim), { imported: true }, 'into that PVC the import completes');
});
