import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueClient } from '../../../src/tls/authority.ts';
import { type ApiServer, startApiServer } from './apiserver.ts';
import { findBinary, findManifest, type Manifest } from './binaries.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { type Kubectl, kubectlWith } from './kubectl.ts';
import { removeAtEnd } from './leftovers.ts';
import { until } from './until.ts';

/** Custom resources that a cluster may start with: CDI's own, and KubeVirt's VirtualMachine. */
export type CustomResources = 'cdi' | 'virtual-machine';

const MANIFESTS: Readonly<Record<CustomResources, Manifest>> = {
  cdi: 'crds.yaml',
  'virtual-machine': 'vm-crd.yaml',
};

export interface ClusterOptions {
  readonly crds?: readonly CustomResources[];
  /** An audit Policy, as YAML. */
  readonly auditPolicy?: string;
  /** More flags of kube-apiserver. */
  readonly flags?: readonly string[];
}

/** An API server with nothing behind it: no controllers, no nodes but those that a test creates. */
export interface Cluster {
  readonly url: string;
  readonly caPem: string;
  /** A folder for whatever the test puts aside; removed with the cluster. */
  readonly folder: string;
  readonly apiServer: ApiServer;
  /** Of a user in system:masters. */
  readonly kubeconfig: string;
  /** As that user. */
  readonly kubectl: Kubectl;
  /**
   * Makes a user, who may do only what RBAC grants; the answer is the path of a kubeconfig.
   * The roles view, edit and admin grant nothing here: a controller would fill them.
   */
  userKubeconfig(name: string, groups: readonly string[]): Promise<string>;
  kubectlAs(kubeconfig: string): Kubectl;
  stop(): Promise<void>;
}

/** Starts a cluster; the caller stops it, and at the latest it ends with this process. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const kubectlFile = await findBinary('kubectl');
  const manifests = await Promise.all((options.crds ?? []).map((crds) => findManifest(MANIFESTS[crds])));
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-cluster-'));
  const forget = removeAtEnd(folder);
  const removeFolder = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true });
    forget();
  };
  let apiServer: ApiServer | null = null;
  const stop = async (): Promise<void> => {
    await apiServer?.stop();
    await removeFolder();
  };

  try {
    apiServer = await startApiServer({ ...options, folder });
    const { url, authority, admin } = apiServer;
    const caPem = authority.certificatePem;
    const kubeconfig = join(folder, 'admin.kubeconfig');
    await writeKubeconfig(kubeconfig, { url, caPem, user: admin });
    const kubectlAs = (path: string): Kubectl =>
      kubectlWith({ file: kubectlFile, kubeconfig: path, cacheFolder: join(folder, 'kubectl-cache') });
    const kubectl = kubectlAs(kubeconfig);

    // Not applied: the annotation that a client-side apply leaves would be too large.
    for (const manifest of manifests) await kubectl.must(['create', '-f', manifest]);
    if (manifests.length > 0) {
      // It fails at once where one of them has no conditions yet.
      const wait = ['wait', '--for=condition=Established', '--timeout=60s', '--all', 'crd'];
      await until('the custom resources are served', async () => (await kubectl.run(wait)).code === 0);
    }

    let users = 0;
    return {
      url,
      caPem,
      folder,
      apiServer,
      kubeconfig,
      kubectl,
      userKubeconfig: async (name, groups) => {
        users += 1;
        const path = join(folder, `user-${users}.kubeconfig`);
        const life = { now: new Date(), validForDays: 2 };
        const user = await issueClient(authority, { commonName: name, organizations: groups, ...life });
        await writeKubeconfig(path, { url, caPem, user });
        return path;
      },
      kubectlAs,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
