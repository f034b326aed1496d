/** Kinds of other projects that the chart can make. */
const KINDS = [
  { group: 'cert-manager.io', kind: 'Issuer', plural: 'issuers' },
  { group: 'cert-manager.io', kind: 'Certificate', plural: 'certificates' },
  { group: 'monitoring.coreos.com', kind: 'ServiceMonitor', plural: 'servicemonitors' },
  { group: 'monitoring.coreos.com', kind: 'PrometheusRule', plural: 'prometheusrules' },
];

/** CRDs that take any content: enough for an API server to know the kinds. JSON, for kubectl. */
export const FOREIGN_CRDS = JSON.stringify({
  apiVersion: 'v1',
  kind: 'List',
  items: KINDS.map(({ group, kind, plural }) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  })),
});
