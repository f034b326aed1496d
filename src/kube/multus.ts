import { connectionLimitIn } from '../floor/connection-limit.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { kubeErrorCode } from './failures.ts';
import { patiently } from './paging.ts';
import { configMapPath } from './path.ts';

const DAEMON_CONFIG = 'multus-daemon-config';

/** Where upstream's manifest and most distributions put the daemon. */
export const MULTUS_NAMESPACES: readonly string[] = ['kube-system'];

/**
 * `connectionLimit` of the Multus daemon's ConfigMap, from the first of the namespaces that has one; null where none has,
 * or it sets no limit. Throws KubeError.
 */
export async function readConnectionLimit(
  api: KubeApi,
  namespaces: readonly string[],
  pass: Pass,
): Promise<number | null> {
  for (const namespace of namespaces) {
    try {
      const path = configMapPath(namespace, DAEMON_CONFIG);
      return connectionLimitIn(await patiently((call) => api.get(path, call), pass));
    } catch (error) {
      if (kubeErrorCode(error) !== 'not-found') throw error;
    }
  }
  return null;
}
