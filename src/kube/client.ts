import type { RequestOptions } from 'node:https';
import type { Cluster, DispatcherOptions, KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { KubeApi } from './api.ts';
import { KubeError } from './failures.ts';
import { type ClusterAccess, createKubeApi, DEFAULT_HTTP } from './http.ts';

/** How a cluster is found. */
export type ClusterChoice =
  /** By the service account of the pod that this runs in. */
  | { readonly kind: 'in-cluster' }
  /** As kubectl finds it: `file`, else KUBECONFIG, else ~/.kube/config, else the pod's service account. */
  | {
      readonly kind: 'kubeconfig';
      readonly file?: string | undefined;
      /** The kubeconfig's current context where undefined. */
      readonly context?: string | undefined;
    };

export interface Connection {
  readonly api: KubeApi;
  /** Of the kubeconfig: whom a person is told that was asked. */
  readonly context: string;
  /** The context's; in a cluster that of our own pod. Null where it names none. */
  readonly namespace: string | null;
  readonly close: () => Promise<void>;
}

/**
 * A connection to the cluster, for as long as the program runs; nothing is sent yet. Throws KubeError: `no-cluster`,
 * `bad-kubeconfig`, `credentials`.
 *
 * What the service account has to be granted (by whom it is used is in brackets):
 * - cluster-wide: `list` pods (density.ts), nodes (density.ts, statistic `allocatable` only), storage.k8s.io
 *   storageclasses, cdi.kubevirt.io cdis and storageprofiles, `get` cdi.kubevirt.io cdiconfigs (storage.ts), `list` of
 *   the kinds of all targets: apps daemonsets (with rows of the user's also deployments and statefulsets),
 *   hco.kubevirt.io hyperconvergeds (subjects.ts);
 * - with memoryFloor.reconcile `patch` also `get` and `update` of these kinds and of cdis (reconcile.ts);
 * - in our own namespace: `create` configmaps and coordination.k8s.io leases, `get` and `update` of those that are named
 *   by MARKS_NAME (marks.ts) and LEASE_NAME (lease.ts);
 * - in the namespaces of Multus: `get` of the configmap `multus-daemon-config` (multus.ts).
 */
export async function connectCluster(choice: ClusterChoice, userAgent: string): Promise<Connection> {
  // 80 MiB and a second: commands that need no cluster shall not pay for it.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  load(config, choice);
  const cluster = clusterOf(config, choice);
  const access = new KubeConfigAccess(config, cluster);
  // Files that cannot be read are told now and not at the first call.
  await access.authorize();
  const context = config.getCurrentContext();
  return {
    api: createKubeApi(access, { ...DEFAULT_HTTP, userAgent }),
    context,
    namespace: config.getContextObject(context)?.namespace?.trim() || null,
    close: () => access.close(),
  };
}

function load(config: KubeConfig, choice: ClusterChoice): void {
  try {
    if (choice.kind === 'in-cluster') config.loadFromCluster();
    else if (choice.file !== undefined) config.loadFromFile(choice.file);
    else config.loadFromDefault();
  } catch {
    // The cause may quote the file.
    throw new KubeError('bad-kubeconfig', { detail: 'it cannot be read' });
  }
  if (choice.kind === 'kubeconfig' && choice.context !== undefined) {
    if (config.getContextObject(choice.context) === null)
      throw new KubeError('bad-kubeconfig', {
        detail: `it has no context ${JSON.stringify(choice.context)}`,
      });
    config.setCurrentContext(choice.context);
  }
}

/** Where nothing is configured, KubeConfig falls back to this without a word. */
const NOTHING_CONFIGURED = 'http://localhost:8080';

function clusterOf(config: KubeConfig, choice: ClusterChoice): Cluster {
  const cluster = config.getCurrentCluster();
  if (cluster === null || cluster.server === NOTHING_CONFIGURED) throw new KubeError('no-cluster');
  const protocol = URL.canParse(cluster.server) ? new URL(cluster.server).protocol : null;
  // Outside of a pod its environment is missing, and the address is https://undefined:undefined.
  if (protocol === null && choice.kind === 'in-cluster') throw new KubeError('no-cluster');
  if (protocol !== 'https:' && !(protocol === 'http:' && cluster.skipTLSVerify))
    throw new KubeError('bad-kubeconfig', {
      detail: 'its server has to be https (or http with insecure-skip-tls-verify)',
    });
  return cluster;
}

type TlsOptions = NonNullable<ProxyAgent.Options['requestTls']>;

/** Auth and TLS as KubeConfig knows them: files are read again, tokens and certificates renewed. */
class KubeConfigAccess implements ClusterAccess {
  readonly server: string;
  readonly #config: KubeConfig;
  readonly #cluster: Cluster;
  #dispatcher: Dispatcher | null = null;
  /** What the dispatcher was made of. */
  #identity = '';

  constructor(config: KubeConfig, cluster: Cluster) {
    this.#config = config;
    this.#cluster = cluster;
    this.server = cluster.server.replace(/\/+$/, '');
  }

  async authorize() {
    const options: RequestOptions = {};
    try {
      await this.#config.applyToHTTPSOptions(options);
    } catch {
      throw new KubeError('credentials');
    }
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(options.headers ?? {})) headers[name] = `${value}`.trim();
    if (typeof options.auth === 'string')
      headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
    return { headers, dispatcher: this.#dispatcherFor(options) };
  }

  async close(): Promise<void> {
    await this.#dispatcher?.destroy();
  }

  /** One for as long as the certificates stay the same: connections are kept. */
  #dispatcherFor({ ca, cert, key, servername, rejectUnauthorized }: RequestOptions): Dispatcher {
    const identity = JSON.stringify([`${ca}`, `${cert}`, `${key}`, servername, rejectUnauthorized]);
    if (this.#dispatcher !== null && identity === this.#identity) return this.#dispatcher;
    // Calls under way on the old one are let finish.
    this.#dispatcher?.close().catch(() => {});
    const tls = { ca, cert, key, servername, rejectUnauthorized };
    this.#dispatcher = dispatcherOf(this.#config.createDispatcherOptions(this.#cluster, tls));
    this.#identity = identity;
    return this.#dispatcher;
  }
}

function dispatcherOf(wanted: DispatcherOptions): Dispatcher {
  // One broken HTTP/2 connection would hold up every call.
  const allowH2 = false;
  if (wanted.type === 'none') return new Agent({ allowH2 });
  // Both types describe what node:tls takes; they differ in how they spell that a field may be absent.
  if (wanted.type === 'agent') return new Agent({ allowH2, connect: wanted.connect as TlsOptions });
  try {
    const requestTls = { ...wanted.requestTls, allowH2 } as TlsOptions;
    return new ProxyAgent({ allowH2, uri: wanted.uri, requestTls });
  } catch {
    throw new KubeError('bad-kubeconfig', { detail: 'its proxy-url cannot be used' });
  }
}
