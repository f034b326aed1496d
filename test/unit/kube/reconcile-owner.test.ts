import t from 'tap';
import { ownerOf } from '../../../src/kube/reconcile-owner.ts';

const written = (manager: string, fields: object = { 'f:spec': { 'f:template': {} } }) => ({
  manager,
  operation: 'Update',
  fieldsV1: fields,
});
const BY_HAND = [written('kubectl-client-side-apply')];

const ROWS: readonly { name: string; metadata: object; owner: string | null }[] = [
  { name: 'applied by hand', metadata: { managedFields: BY_HAND }, owner: null },
  {
    name: 'by hand, in several ways',
    metadata: { managedFields: [written('kubectl-create'), written('kubectl'), written('kubectl-edit')] },
    owner: null,
  },
  {
    name: 'the controller of its status',
    metadata: {
      managedFields: [
        ...BY_HAND,
        { ...written('kube-controller-manager', { 'f:status': {} }), subresource: 'status' },
      ],
    },
    owner: null,
  },
  {
    name: 'an operator that adds a finalizer and fills in another part of the spec',
    metadata: {
      managedFields: [
        written('kubectl-create', { 'f:spec': { 'f:config': {} } }),
        written('virt-cdi-operator', {
          'f:metadata': { 'f:finalizers': {} },
          'f:spec': { 'f:workload': {} },
        }),
      ],
    },
    owner: null,
  },
  {
    name: 'an operator that writes the part with the limit',
    metadata: { managedFields: [...BY_HAND, written('virt-cdi-operator', { 'f:spec': { 'f:config': {} } })] },
    owner: 'virt-cdi-operator',
  },
  {
    name: 'an operator that wrote all there is of a spec',
    metadata: { managedFields: [written('some-operator', { 'f:spec': { 'f:workload': {} } })] },
    owner: 'some-operator',
  },
  {
    name: 'Argo CD',
    metadata: { managedFields: [written('argocd-controller')] },
    owner: 'argocd-controller',
  },
  {
    name: 'Flux',
    metadata: { managedFields: [written('kustomize-controller')] },
    owner: 'kustomize-controller',
  },
  { name: 'Helm', metadata: { managedFields: [written('helm')] }, owner: 'helm' },
  { name: 'k3s', metadata: { managedFields: [written('deploy@node-a')] }, owner: 'deploy@node-a' },
  {
    name: 'who only sounds like kubectl',
    metadata: { managedFields: [written('kubectl-bot')] },
    owner: 'kubectl-bot',
  },
  { name: 'nobody known', metadata: {}, owner: 'an unknown field manager' },
  { name: 'no name', metadata: { managedFields: [written('')] }, owner: 'an unknown field manager' },
  {
    name: 'an owner',
    metadata: { managedFields: BY_HAND, ownerReferences: [{ kind: 'HyperConverged', name: 'hco' }] },
    owner: 'HyperConverged hco',
  },
  {
    name: 'managed-by, whoever',
    metadata: { managedFields: BY_HAND, labels: { 'app.kubernetes.io/managed-by': 'hco-operator' } },
    owner: 'hco-operator',
  },
  {
    name: 'Argo CD’s annotation, of old versions that ran kubectl',
    metadata: { managedFields: BY_HAND, annotations: { 'argocd.argoproj.io/tracking-id': 'a:b' } },
    owner: 'Argo CD',
  },
  {
    name: 'Flux’s labels',
    metadata: { managedFields: BY_HAND, labels: { 'kustomize.toolkit.fluxcd.io/name': 'x' } },
    owner: 'Flux',
  },
  {
    name: 'Flux’s Helm releases',
    metadata: { managedFields: BY_HAND, labels: { 'helm.toolkit.fluxcd.io/name': 'x' } },
    owner: 'Flux',
  },
  {
    name: 'Helm’s annotation',
    metadata: { managedFields: BY_HAND, annotations: { 'meta.helm.sh/release-name': 'x' } },
    owner: 'Helm',
  },
  {
    name: 'Rancher’s labels',
    metadata: { managedFields: BY_HAND, labels: { 'objectset.rio.cattle.io/hash': 'x' } },
    owner: 'Rancher',
  },
  {
    name: 'an annotation that only looks alike',
    metadata: { managedFields: BY_HAND, annotations: { 'example.com/argocd.argoproj.io': 'x' } },
    owner: null,
  },
];

for (const { name, metadata, owner } of ROWS)
  t.test(`who owns an object: ${name}`, (t) => {
    t.equal(ownerOf({ metadata }), owner);
    t.end();
  });
