export const NAMESPACE = 'plimsoll';
export const SECRET = 'plimsoll-tls';

/** What client.ts and self-managed.ts say that a process needs, for the user plimsoll, and nothing else. */
export const RIGHTS = `
apiVersion: v1
kind: Namespace
metadata: { name: ${NAMESPACE} }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: plimsoll }
rules:
  - { apiGroups: [""], resources: [pods, nodes], verbs: [list] }
  - { apiGroups: [storage.k8s.io], resources: [storageclasses], verbs: [list] }
  - { apiGroups: [cdi.kubevirt.io], resources: [cdis, storageprofiles], verbs: [list] }
  - { apiGroups: [cdi.kubevirt.io], resources: [cdiconfigs], verbs: [get] }
  - apiGroups: [admissionregistration.k8s.io]
    resources: [validatingwebhookconfigurations, mutatingwebhookconfigurations]
    resourceNames: [plimsoll]
    verbs: [get, patch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: plimsoll }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: plimsoll }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: plimsoll }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: plimsoll, namespace: ${NAMESPACE} }
rules:
  - { apiGroups: [""], resources: [secrets], resourceNames: [${SECRET}], verbs: [get, create, update, patch] }
  - { apiGroups: [""], resources: [configmaps], verbs: [create] }
  - { apiGroups: [""], resources: [configmaps], resourceNames: [plimsoll-density], verbs: [get, update] }
  - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create] }
  - { apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [plimsoll-leader], verbs: [get, update] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: plimsoll, namespace: ${NAMESPACE} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: plimsoll }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: plimsoll }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: plimsoll, namespace: kube-system }
rules:
  - { apiGroups: [""], resources: [configmaps], resourceNames: [multus-daemon-config], verbs: [get] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: plimsoll, namespace: kube-system }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: plimsoll }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: plimsoll }]
---
apiVersion: v1
kind: Service
metadata: { name: plimsoll, namespace: ${NAMESPACE} }
spec: { type: ExternalName, externalName: localhost }
`;

export const AUDIT_POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - { level: Metadata, users: [plimsoll] }
  - { level: None }
`;

const KINDS = ['Validating', 'Mutating'] as const;
export type WebhookName = 'volumes' | 'exemptions' | 'floors';

/** Both our webhook configurations without caBundle, as a chart has them, with these webhooks; JSON. */
export function webhookConfigurations(port: number, names: readonly WebhookName[]): string {
  const webhook = (name: WebhookName) => {
    const isFloors = name === 'floors';
    const group = isFloors ? 'apps' : 'cdi.kubevirt.io';
    const resource = isFloors ? 'daemonsets' : name === 'volumes' ? 'datavolumes' : 'dataimportcrons';
    return {
      name: `${name}.plimsoll.dev`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: isFloors ? 'Ignore' : 'Fail',
      // Not to be told from a failure by the load of the machine.
      timeoutSeconds: 20,
      clientConfig: {
        service: { name: 'plimsoll', namespace: NAMESPACE, port, path: isFloors ? '/mutate' : '/validate' },
      },
      rules: [
        {
          apiGroups: [group],
          apiVersions: [isFloors ? 'v1' : 'v1beta1'],
          resources: [resource],
          operations: ['CREATE'],
        },
      ],
    };
  };
  const items = KINDS.map((kind) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: 'plimsoll', labels: { of: 'the-chart' } },
    webhooks: names.filter((name) => (name === 'floors') === (kind === 'Mutating')).map(webhook),
  }));
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

/** What CDI calls a blank disk: judged, and never refused. */
export const VOLUME = {
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name: 'blank', namespace: 'default' },
  spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '1Gi' } } } },
};

/** Multus' daemon, with less memory than its floor. */
export const MULTUS = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'kube-multus-ds', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: { app: 'multus' } },
    template: {
      metadata: { labels: { app: 'multus' } },
      spec: {
        containers: [
          {
            name: 'kube-multus',
            image: 'ghcr.io/k8snetworkplumbingwg/multus-cni:snapshot-thick',
            command: ['/usr/src/multus-cni/bin/multus-daemon'],
            resources: { requests: { memory: '50Mi' }, limits: { memory: '50Mi' } },
          },
        ],
      },
    },
  },
};
