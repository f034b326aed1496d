import { at, listAt, textAt } from '../../src/object/object.ts';
import type { Cluster } from './harness/cluster.ts';

const POD_LABELS = { tier: 'node', app: 'multus' };
/** What rollouts look at: nobody but the author may write there. */
export const TEMPLATE_ANNOTATIONS = { 'example.com/author': 'set' };

/** A thick Multus of that name in kube-system, with request and limit at that much memory. */
export function multusOf(name: string, memory: string): object {
  const labels = { ...POD_LABELS, name };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system', labels },
    spec: {
      selector: { matchLabels: { name } },
      updateStrategy: { type: 'RollingUpdate' },
      template: {
        metadata: { labels, annotations: TEMPLATE_ANNOTATIONS },
        spec: {
          hostNetwork: true,
          hostPID: true,
          containers: [
            {
              name: 'kube-multus',
              image: 'ghcr.io/k8snetworkplumbingwg/multus-cni:snapshot-thick',
              command: ['/usr/src/multus-cni/bin/multus-daemon'],
              env: [{ name: 'MULTUS_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
              resources: {
                requests: { cpu: '100m', memory },
                limits: { cpu: '100m', memory },
              },
              securityContext: { privileged: true },
            },
          ],
        },
      },
    },
  };
}

/** A CDI of that name with that memory limit. */
export function cdiOf(name: string, memory: string): object {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'CDI',
    metadata: { name },
    spec: {
      imagePullPolicy: 'IfNotPresent',
      config: {
        featureGates: ['HonorWaitForFirstConsumer'],
        podResourceRequirements: { limits: { memory } },
      },
    },
  };
}

/** What a test needs to know of a stored object. */
export interface StoredObject {
  readonly resourceVersion: string;
  readonly generation: unknown;
  /** Of Multus' container, or of CDI's pods. */
  readonly resources: unknown;
  readonly limit: string;
  /** Of the pods; undefined for CDI. */
  readonly templateMetadata: unknown;
  readonly spec: unknown;
  readonly managers: readonly string[];
}

/** Either kind's parts, out of the object as JSON. */
export function storedParts(object: unknown): StoredObject {
  const resources =
    at(object, 'kind') === 'CDI'
      ? at(object, 'spec', 'config', 'podResourceRequirements')
      : at(object, 'spec', 'template', 'spec', 'containers', 0, 'resources');
  return {
    resourceVersion: textAt(object, 'metadata', 'resourceVersion') ?? '',
    generation: at(object, 'metadata', 'generation'),
    resources,
    limit: textAt(resources, 'limits', 'memory') ?? '',
    templateMetadata: at(object, 'spec', 'template', 'metadata'),
    spec: at(object, 'spec'),
    managers: listAt(object, 'metadata', 'managedFields').map((entry) => textAt(entry, 'manager') ?? ''),
  };
}

export async function readStored({ kubectl }: Cluster, kind: string, name: string): Promise<StoredObject> {
  const scope = kind === 'CDI' ? [] : ['-n', 'kube-system'];
  return storedParts(await kubectl.getJson(kind.toLowerCase(), name, ...scope, '--show-managed-fields'));
}
