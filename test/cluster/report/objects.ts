import { multusOf } from '../floor-objects.ts';

/** What every object of these tests is in. */
export const NAMESPACE = 'images';

const CDI = 'cdi.kubevirt.io/v1beta1';

interface Metadata {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly object[];
  readonly finalizers?: readonly string[];
}

const object = (apiVersion: string, kind: string, name: string, spec: object, metadata: Metadata = {}) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: NAMESPACE, ...metadata },
  spec,
});

/** The half of a DataVolume's spec that says what it asks for; without a size it asks for none. */
const storage = (size?: string, more: object = {}) => ({
  storage: { ...(size === undefined ? {} : { resources: { requests: { storage: size } } }), ...more },
});

const volume = (name: string, spec: object, metadata: Metadata = {}) =>
  object(CDI, 'DataVolume', name, spec, metadata);

/** Images by the names of their servers' paths. */
export interface Images {
  readonly origin: string;
}

const OWNED_BY_MACHINE = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  name: 'desktop',
  uid: '6f2b7a53-8f0e-4f5b-9d39-1b6f8a1d2c3e',
};

/** DataVolumes for every rule and every skip of volumes; what CDI's own webhook and controller leave on them as well. */
function dataVolumes({ origin }: Images): object[] {
  const fedora = { source: { http: { url: `${origin}/fedora.qcow2` } } };
  const overlay = { source: { http: { url: `${origin}/overlay.qcow2` } } };
  const imports = (name: string, size: string, more: object = {}, metadata: Metadata = {}) =>
    volume(name, { ...fedora, ...storage(size, more) }, metadata);
  const annotated = (name: string, annotation: string, value = 'true') =>
    imports(name, '30Gi', {}, { annotations: { [annotation]: value } });
  const from = (name: string, source: object, size = '30Gi') => volume(name, { source, ...storage(size) });
  return [
    imports('fits', '10Gi'),
    imports('oversized', '30Gi', {}, { annotations: { 'cdi.kubevirt.io/storage.usePopulator': 'true' } }),
    imports('too-small', '5Gi'),
    imports('tight', '9700Mi', { storageClassName: 'copying' }),
    imports('host-assisted', '10Gi', { storageClassName: 'copying' }),
    imports('oversized-and-host-assisted', '30Gi', { storageClassName: 'copying' }),
    imports('on-a-block-device', '9Gi', { storageClassName: 'blocks' }),
    volume('with-a-pvc', {
      ...fedora,
      pvc: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
    }),
    volume('unusable', { ...overlay, ...storage('10Gi') }),
    volume('unusable-and-too-small', { ...overlay, ...storage('1Gi') }),
    from('missing', { http: { url: `${origin}/missing.qcow2` } }),
    from('not-permitted', { http: { url: 'http://169.254.169.254/latest' } }),
    from('in-a-registry', { registry: { url: 'docker://registry.invalid/fedora:latest' } }),
    from('in-an-archive-of-a-node', { registry: { url: 'oci-archive:/images/fedora.tar' } }),
    imports('exempt', '30Gi'),
    annotated('exempts-itself', 'plimsoll.dev/exempt', 'oversized: the appliance grows into it'),
    imports('of-a-machine', '30Gi', {}, { ownerReferences: [OWNED_BY_MACHINE] }),
    imports('of-a-machine-too-small', '5Gi', {}, { labels: { 'kubevirt.io/created-by': 'x' } }),
    from('clone-of-a-pvc', { pvc: { namespace: NAMESPACE, name: 'fits' } }),
    from('clone-of-a-snapshot', { snapshot: { namespace: NAMESPACE, name: 'fits' } }),
    volume('clone-of-a-source', { sourceRef: { kind: 'DataSource', name: 'fits' }, ...storage() }),
    from('blank', { blank: {} }),
    from('upload', { upload: {} }),
    from('imageio', { imageio: { url: 'https://ovirt.invalid/api', diskId: 'x' } }),
    from('vddk', { vddk: { url: 'https://vsphere.invalid', backingFile: 'x.vmdk', uuid: 'x' } }),
    volume('populated-from-elsewhere', {
      ...storage('30Gi', { dataSourceRef: { apiGroup: 'example.com', kind: 'Populator', name: 'x' } }),
    }),
    volume('in-stages', {
      ...fedora,
      ...storage('30Gi'),
      checkpoints: [{ current: 'a', previous: '' }],
      finalCheckpoint: false,
    }),
    volume('archive', { ...fedora, ...storage('30Gi'), contentType: 'archive' }),
    annotated('pre-populated', 'cdi.kubevirt.io/storage.prePopulated', 'pre-populated'),
    annotated('populated-for', 'cdi.kubevirt.io/storage.populatedFor', 'populated-for'),
    annotated('adopts', 'cdi.kubevirt.io/allowClaimAdoption'),
    annotated('static', 'cdi.kubevirt.io/storage.checkStaticVolume', ''),
    volume('without-a-source', storage('30Gi')),
    volume('without-a-size', { ...fedora, ...storage() }),
    imports('of-too-little', '500k'),
  ];
}

function templates({ origin }: Images): object[] {
  const template = (name: string, size: string) => ({
    metadata: { name },
    spec: { source: { http: { url: `${origin}/fedora.qcow2` } }, ...storage(size) },
  });
  const cron = (name: string, size: string, source: object) =>
    object(CDI, 'DataImportCron', name, {
      schedule: '0 3 * * *',
      managedDataSource: 'fedora',
      template: { spec: { source, ...storage(size) } },
    });
  const machine = (name: string, ...dataVolumeTemplates: readonly object[]) =>
    object('kubevirt.io/v1', 'VirtualMachine', name, {
      runStrategy: 'Halted',
      ...(dataVolumeTemplates.length === 0 ? {} : { dataVolumeTemplates }),
      template: { spec: { domain: { devices: {} } } },
    });
  return [
    cron('cron', '30Gi', { http: { url: `${origin}/fedora.qcow2` } }),
    cron('cron-of-a-registry', '30Gi', { registry: { url: 'docker://registry.invalid/fedora' } }),
    cron('cron-of-too-little', '500k', { http: { url: `${origin}/fedora.qcow2` } }),
    machine('machine', template('root', '100Gi'), template('data', '5Gi')),
    machine('machine-that-fits', template('root', '10Gi')),
    machine('machine-without-templates'),
  ];
}

/** PersistentVolumeClaims, of which only those are judged that a VolumeImportSource fills. */
function claims({ origin }: Images): object[] {
  const claim = (name: string, size: string, source: string | null, metadata: Metadata = {}) =>
    object(
      'v1',
      'PersistentVolumeClaim',
      name,
      {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: size } },
        ...(source === null
          ? {}
          : { dataSourceRef: { apiGroup: 'cdi.kubevirt.io', kind: 'VolumeImportSource', name: source } }),
      },
      metadata,
    );
  return [
    object(CDI, 'VolumeImportSource', 'fedora', {
      source: { http: { url: `${origin}/fedora.qcow2` } },
    }),
    claim('claim', '12Gi', 'fedora'),
    claim('claim-too-small', '5Gi', 'fedora'),
    claim('claim-of-nothing-known', '5Gi', 'unknown'),
    claim('claim-of-a-volume', '5Gi', 'fedora', {
      ownerReferences: [{ apiVersion: CDI, kind: 'DataVolume', name: 'x', uid: OWNED_BY_MACHINE.uid }],
    }),
    claim('claim-without-a-source', '5Gi', null),
  ];
}

/** A workload of one container, in kube-system. */
function workload(
  kind: 'DaemonSet' | 'Deployment',
  name: string,
  container: object,
  pod: object = {},
): object {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: { name } },
      template: {
        metadata: { labels: { name } },
        spec: { containers: [{ name: 'main', image: 'registry.invalid/main:1', ...container }], ...pod },
      },
    },
  };
}

const memory = (limit: string) => ({ resources: { requests: { memory: limit }, limits: { memory: limit } } });
const DAEMON = { command: ['/usr/src/multus-cni/bin/multus-daemon'] };

const cdi = (name: string, spec: object, metadata: Metadata = {}) => ({
  apiVersion: CDI,
  kind: 'CDI',
  metadata: { name, ...metadata },
  spec,
});
const podResources = (limit: string) => ({
  config: { podResourceRequirements: { limits: { memory: limit } } },
});

const FLOORS = [
  multusOf('kube-multus-ds', '50Mi'),
  multusOf('multus-with-enough', '4Gi'),
  multusOf('multus-exempt', '50Mi'),
  workload('DaemonSet', 'multus-without-limit', DAEMON),
  workload(
    'DaemonSet',
    'multus-with-resources-of-its-pod',
    { ...DAEMON, ...memory('50Mi') },
    { resources: { limits: { memory: '60Mi' } } },
  ),
  workload('DaemonSet', 'multus-thin', {
    image: 'ghcr.io/k8snetworkplumbingwg/multus-cni:snapshot',
    ...memory('50Mi'),
  }),
  workload('DaemonSet', 'multus-admission-controller', memory('50Mi')),
  workload('DaemonSet', 'other', memory('50Mi')),
  workload('Deployment', 'collector', { name: 'collector', ...memory('50Mi') }),
  workload('Deployment', 'collector-with-enough', { name: 'collector', ...memory('4Gi') }),
  workload('Deployment', 'other', memory('50Mi')),
  cdi('cdi', { config: { filesystemOverhead: { global: '0.06' } } }),
  cdi('cdi-with-enough', podResources('4Gi')),
  cdi('cdi-without-a-limit', podResources('0')),
  cdi('cdi-kubevirt-hyperconverged', podResources('600M')),
  cdi('cdi-of-an-operator', podResources('4Gi'), {
    labels: { 'app.kubernetes.io/managed-by': 'hco-operator' },
  }),
  object('hco.kubevirt.io/v1beta1', 'HyperConverged', 'hyperconverged', {}),
  object('hco.kubevirt.io/v1beta1', 'HyperConverged', 'hyperconverged-with-enough', {
    resourceRequirements: { storageWorkloads: { limits: { memory: '4Gi' } } },
  }),
];

/** On their way out, as long as somebody holds a finalizer. */
function heldBack({ origin }: Images): object[] {
  const finalizers = ['tests.plimsoll.dev/held'];
  return [
    volume(
      'going-volume',
      { source: { http: { url: `${origin}/fedora.qcow2` } }, ...storage('30Gi') },
      { finalizers },
    ),
    cdi('going-cdi', podResources('600M'), { finalizers }),
  ];
}

const storageClass = (name: string, profile: object) => [
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'example.com/disks',
  },
  { apiVersion: CDI, kind: 'StorageProfile', metadata: { name }, spec: profile },
];

/** The storage of the cluster: a class whose clones are copied, and one of block devices. */
export const STORAGE = [
  ...storageClass('copying', {
    cloneStrategy: 'copy',
    claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' }],
  }),
  ...storageClass('blocks', {
    cloneStrategy: 'csi-clone',
    claimPropertySets: [{ accessModes: ['ReadWriteMany'], volumeMode: 'Block' }],
  }),
];

/** At least one object for every rule and every skip that a stored object can get; `held` are to be deleted once stored. */
export function mixedObjects(images: Images): { readonly kept: object[]; readonly held: object[] } {
  return {
    kept: [...dataVolumes(images), ...templates(images), ...claims(images), ...FLOORS],
    held: heldBack(images),
  };
}
