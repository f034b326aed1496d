import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectCluster } from '../../src/kube/client.ts';
import type { JsonObject } from '../../src/object/object.ts';
import { type Binary, findBinary } from '../cluster/harness/binaries.ts';
import { type Cluster, startCluster } from '../cluster/harness/cluster.ts';
import { runCommand } from '../cluster/harness/kubectl.ts';

/** Where programs in a pod find their credentials; a folder of our own, see namespaces.ts. */
const CREDENTIALS = '/run/secrets/kubernetes.io/serviceaccount';
const PLUGINS: readonly Binary[] = ['ptp', 'host-local', 'sized-delegate'];

const NETWORK_ATTACHMENT_DEFINITIONS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'network-attachment-definitions.k8s.cni.cncf.io' },
  spec: {
    group: 'k8s.cni.cncf.io',
    scope: 'Namespaced',
    names: {
      kind: 'NetworkAttachmentDefinition',
      plural: 'network-attachment-definitions',
      singular: 'network-attachment-definition',
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** A pod of the node whose network is to be made. */
export interface NodePod {
  readonly name: string;
  readonly uid: string;
  /** The path of its network namespace. */
  readonly netns: string;
}

/** What a Multus daemon finds on its node. */
export interface Node {
  readonly name: string;
  readonly folder: string;
  readonly pluginFolder: string;
  readonly daemonFile: string;
  readonly shimFile: string;
  /** As a pod's programs have it. */
  readonly env: NodeJS.ProcessEnv;
}

/** An API server with the credentials of a daemon; nothing else runs. Needs the namespaces of namespaces.ts. */
export async function startApi(): Promise<Cluster> {
  const cluster = await startCluster();
  const { kubectl } = cluster;
  await kubectl.must(['create', '-f', '-'], JSON.stringify(NETWORK_ATTACHMENT_DEFINITIONS));
  await kubectl.must(['create', 'serviceaccount', 'multus', '-n', 'kube-system']);
  const grant = ['--clusterrole=cluster-admin', '--serviceaccount=kube-system:multus'];
  await kubectl.must(['create', 'clusterrolebinding', 'multus', ...grant]);
  await mkdir(CREDENTIALS, { recursive: true });
  const token = await kubectl.must(['create', 'token', 'multus', '-n', 'kube-system', '--duration=6h']);
  await writeFile(join(CREDENTIALS, 'token'), token.trim());
  await writeFile(join(CREDENTIALS, 'ca.crt'), cluster.caPem);
  return cluster;
}

/** A node of that name, as the daemon on it sees it. */
export async function nodeOf(cluster: Cluster, name: string): Promise<Node> {
  const folder = join(cluster.folder, name);
  const pluginFolder = join(folder, 'bin');
  await mkdir(pluginFolder, { recursive: true });
  for (const plugin of PLUGINS) {
    const file = join(pluginFolder, plugin);
    await rm(file, { force: true });
    await symlink(await findBinary(plugin), file);
  }
  const { hostname, port } = new URL(cluster.url);
  return {
    name,
    folder,
    pluginFolder,
    daemonFile: await findBinary('multus-daemon'),
    shimFile: await findBinary('multus-shim'),
    env: {
      ...process.env,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      MULTUS_NODE_NAME: name,
      CNI_PATH: pluginFolder,
    },
  };
}

/** So many pods on that node, in the API; their network namespaces are made by renewNetns. */
export async function createPods(cluster: Cluster, node: string, count: number): Promise<NodePod[]> {
  const connection = await connectCluster({ kind: 'kubeconfig', file: cluster.kubeconfig }, 'plimsoll/bench');
  try {
    const create = async (index: number): Promise<NodePod> => {
      const name = `${node}-${index}`;
      const pod: JsonObject = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name },
        spec: { nodeName: node, containers: [{ name: 'main', image: 'main.example/main' }] },
      };
      const created = await connection.api.create('/api/v1/namespaces/default/pods', pod);
      const uid = (created['metadata'] as { uid: string }).uid;
      return { name, uid, netns: `/run/netns/${name}` };
    };
    const pods: NodePod[] = [];
    for (let from = 0; from < count; from += 25) {
      const some = Array.from({ length: Math.min(25, count - from) }, (_, index) => create(from + index));
      pods.push(...(await Promise.all(some)));
    }
    return pods;
  } finally {
    await connection.close();
  }
}

/** Makes the network namespaces of pods anew, without anything of an earlier run in them. */
export async function renewNetns(pods: readonly NodePod[]): Promise<void> {
  const batch = (verb: string) => pods.map(({ name }) => `netns ${verb} ${name}`).join('\n');
  await runCommand('ip', ['-force', '-batch', '-'], batch('del'));
  const { code, stderr } = await runCommand('ip', ['-batch', '-'], batch('add'));
  if (code !== 0) throw new Error(`no network namespaces: ${stderr}`);
}
