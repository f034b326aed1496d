import { join } from 'node:path';
import { listAt } from '../../../src/object/object.ts';
import { findBinary } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { type Running, startProgram, untilReady } from './processes.ts';

// No kubelet reports for a test's nodes, and these would clear away the pods on them.
const NODE_CONTROLLERS = [
  'node-lifecycle-controller',
  'taint-eviction-controller',
  'pod-garbage-collector-controller',
];

/**
 * Starts kube-controller-manager: garbage collection by owner, the pods and revisions of DaemonSets, the end
 * of namespaces, the roles view, edit and admin. The caller stops it before the cluster.
 */
export async function startControllers(cluster: Cluster): Promise<Running> {
  const controllers = await startProgram({
    name: 'kube-controller-manager',
    file: await findBinary('kube-controller-manager'),
    logFile: join(cluster.folder, 'kube-controller-manager.log'),
    args: [
      `--kubeconfig=${cluster.kubeconfig}`,
      `--service-account-private-key-file=${cluster.apiServer.serviceAccountKeyFile}`,
      `--controllers=${['*', ...NODE_CONTROLLERS.map((name) => `-${name}`)].join(',')}`,
      '--leader-elect=false',
      // It serves nobody.
      '--secure-port=0',
    ],
  });
  try {
    // One of its controllers fills this role.
    await untilReady('kube-controller-manager', controllers, async () => {
      const view = await cluster.kubectl.getJson('clusterrole', 'view');
      return listAt(view, 'rules').length > 0;
    });
  } catch (error) {
    await controllers.stop();
    throw error;
  }
  return controllers;
}
