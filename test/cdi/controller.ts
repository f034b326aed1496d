import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, listAt } from '../../src/object/object.ts';
import { issueAuthority } from '../../src/tls/authority.ts';
import { findBinary } from '../cluster/harness/binaries.ts';
import type { Cluster } from '../cluster/harness/cluster.ts';
import { type Running, startProgram, untilReady } from '../cluster/harness/processes.ts';
import { until } from '../cluster/harness/until.ts';
import { inContainer } from './container.ts';

const NAMESPACE = 'cdi';
const SIGNERS = ['cdi-uploadserver-signer', 'cdi-uploadserver-client-signer'];

/** Of pods that nobody will ever run. */
const ENVIRONMENT = {
  IMPORTER_IMAGE: 'importer.example/importer',
  CLONER_IMAGE: 'cloner.example/cloner',
  UPLOADSERVER_IMAGE: 'uploadserver.example/uploadserver',
  OVIRT_POPULATOR_IMAGE: 'populator.example/populator',
  UPLOADPROXY_SERVICE: 'cdi-uploadproxy',
};

export type CdiSpec = Readonly<Record<string, unknown>>;

/** The CDI resource as its operator leaves it: with the annotation that makes its configuration CDIConfig's. */
export function cdiResource(spec: CdiSpec): object {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'CDI',
    metadata: { name: 'cdi', annotations: { 'cdi.kubevirt.io/configAuthority': '' } },
    spec,
  };
}

/** Starts CDI's own controller in a cluster with CDI's CRDs and a CDI resource; the caller stops it before the cluster. */
export async function startCdiController(cluster: Cluster): Promise<Running> {
  const now = new Date();
  const authority = await issueAuthority({ commonName: 'cdi', validForDays: 1, now });
  await cluster.kubectl.must(['create', '-f', '-'], JSON.stringify(surroundings(authority.certificatePem)));
  const files = join(cluster.folder, 'cdi');
  await writeKeys(files, authority);
  const { file, args } = inContainer(
    {
      file: await findBinary('cdi-controller'),
      args: ['--kubeconfig=/run/cluster/admin.kubeconfig', '-v=1'],
    },
    [
      { from: join(files, 'token'), at: '/run/cdi/token' },
      { from: join(files, 'certs'), at: '/run/certs' },
      { from: cluster.folder, at: '/run/cluster' },
    ],
  );
  const controller = await startProgram({
    name: 'cdi-controller',
    file,
    args,
    env: { ...process.env, ...ENVIRONMENT, POD_NAMESPACE: NAMESPACE },
    logFile: join(cluster.folder, 'cdi-controller.log'),
  });
  try {
    await untilReady('cdi-controller', controller, async () => {
      const config = await cluster.kubectl.getJson('cdiconfig', 'config');
      return at(config, 'status', 'defaultPodResourceRequirements') !== undefined;
    });
  } catch (error) {
    await controller.stop();
    throw error;
  }
  return controller;
}

/** Waits until every StorageClass has its StorageProfile, and CDIConfig knows its overhead. */
export async function untilClassesAreKnown(cluster: Cluster): Promise<void> {
  await until('CDI knows every StorageClass', async () => {
    const [classes, profiles, config] = await Promise.all([
      cluster.kubectl.getJson('storageclasses'),
      cluster.kubectl.getJson('storageprofiles'),
      cluster.kubectl.getJson('cdiconfig', 'config'),
    ]);
    const known = new Set(
      listAt(profiles, 'items')
        .filter((profile) => at(profile, 'status', 'provisioner') !== undefined)
        .map((profile) => at(profile, 'metadata', 'name')),
    );
    return listAt(classes, 'items').every((storageClass) => {
      const name = String(at(storageClass, 'metadata', 'name'));
      return (
        known.has(name) && at(config, 'status', 'filesystemOverhead', 'storageClass', name) !== undefined
      );
    });
  });
}

function surroundings(caPem: string): object {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  const config = {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'CDIConfig',
    metadata: { name: 'config' },
    spec: {},
  };
  const bundles = SIGNERS.map((signer) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${signer}-bundle`, namespace: NAMESPACE },
    data: { 'ca-bundle.crt': caPem },
  }));
  return { apiVersion: 'v1', kind: 'List', items: [namespace, config, ...bundles] };
}

async function writeKeys(
  folder: string,
  authority: { readonly certificatePem: string; readonly privateKeyPem: string },
): Promise<void> {
  const token = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    // The only one that CDI reads.
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const keys = join(folder, 'token', 'keys');
  await mkdir(keys, { recursive: true });
  await writeFile(join(keys, 'id_rsa'), token.privateKey, { mode: 0o600 });
  await writeFile(join(keys, 'id_rsa.pub'), token.publicKey);
  for (const signer of SIGNERS) {
    const certs = join(folder, 'certs', signer);
    await mkdir(certs, { recursive: true });
    await writeFile(join(certs, 'tls.crt'), authority.certificatePem);
    await writeFile(join(certs, 'tls.key'), authority.privateKeyPem, { mode: 0o600 });
  }
}
