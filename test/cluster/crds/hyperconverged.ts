/** The HyperConverged Cluster Operator's kind with any content: enough for an API server to keep it. JSON, for kubectl. */
export const HYPERCONVERGED_CRD = JSON.stringify({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'hyperconvergeds.hco.kubevirt.io' },
  spec: {
    group: 'hco.kubevirt.io',
    names: { kind: 'HyperConverged', plural: 'hyperconvergeds', singular: 'hyperconverged' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});
