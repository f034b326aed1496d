import type { ClaimPropertySet, CloneStrategy } from '../../src/volume/volume.ts';

export interface TestClass {
  readonly name: string;
  readonly provisioner: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** What an administrator writes into its StorageProfile; without it, what CDI knows of the provisioner. */
  readonly profile?: {
    readonly claimPropertySets?: readonly ClaimPropertySet[];
    readonly cloneStrategy?: CloneStrategy;
  };
  readonly minimumPvcSize?: string;
  /** In the configuration of CDI. */
  readonly overhead?: string;
  /** How CDI will clone in it; there are no VolumeSnapshotClasses. */
  readonly cloneStrategy: CloneStrategy;
}

const RWO_FILESYSTEM: ClaimPropertySet = { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' };
const RWX_BLOCK: ClaimPropertySet = { accessModes: ['ReadWriteMany'], volumeMode: 'Block' };

/** Of a provisioner that CDI does not know, so that everything about it is the administrator's. */
function ofOurs(
  name: string,
  claimPropertySets: readonly ClaimPropertySet[],
  more: Partial<TestClass> = {},
): TestClass {
  return {
    name,
    provisioner: 'disks.example',
    profile: { claimPropertySets },
    cloneStrategy: 'copy',
    ...more,
  };
}

const withOverhead = (overhead: string): TestClass =>
  ofOurs(`overhead-${overhead}`, [RWO_FILESYSTEM], { overhead });

export const OVERHEAD_CLASSES = ['0', '0.055', '0.07', '0.1', '0.123', '0.9'].map(withOverhead);

/** By the property sets that a volume without mode and access modes may get. */
export const SET_CLASSES: readonly TestClass[] = [
  ofOurs('filesystem', [RWO_FILESYSTEM]),
  ofOurs('block', [RWX_BLOCK]),
  ofOurs('block-first', [RWX_BLOCK, RWO_FILESYSTEM]),
  ofOurs('filesystem-first', [RWO_FILESYSTEM, RWX_BLOCK]),
  ofOurs('no-sets', []),
];

export const MINIMUM_CLASSES: readonly TestClass[] = [
  ofOurs('filesystem-of-4gi', [RWO_FILESYSTEM], { minimumPvcSize: '4Gi' }),
  ofOurs('block-of-4gi', [RWX_BLOCK], { minimumPvcSize: '4Gi' }),
  ofOurs('filesystem-of-1500m', [RWO_FILESYSTEM], { minimumPvcSize: '1500M' }),
];

/** Of provisioners that CDI has a row for, or none. */
export const PROVISIONER_CLASSES: readonly TestClass[] = [
  { name: 'ceph-rbd', provisioner: 'rbd.csi.ceph.com', cloneStrategy: 'csi-clone' },
  { name: 'rook-ceph-rbd', provisioner: 'rook-ceph.rbd.csi.ceph.com', cloneStrategy: 'csi-clone' },
  { name: 'cephfs', provisioner: 'cephfs.csi.ceph.com', cloneStrategy: 'csi-clone' },
  { name: 'topolvm', provisioner: 'topolvm.io', cloneStrategy: 'copy' },
  { name: 'powerstore', provisioner: 'csi-powerstore.dellemc.com', cloneStrategy: 'copy' },
  { name: 'nfs', provisioner: 'nfs.csi.k8s.io', cloneStrategy: 'copy' },
  { name: 'local-path', provisioner: 'rancher.io/local-path', cloneStrategy: 'copy' },
  { name: 'longhorn', provisioner: 'driver.longhorn.io', cloneStrategy: 'copy' },
  { name: 'ebs-gp3', provisioner: 'ebs.csi.aws.com', parameters: { type: 'gp3' }, cloneStrategy: 'copy' },
  { name: 'ebs-io2', provisioner: 'ebs.csi.aws.com', parameters: { type: 'io2' }, cloneStrategy: 'copy' },
  {
    name: 'hyperdisk',
    provisioner: 'pd.csi.storage.gke.io',
    parameters: { type: 'hyperdisk-balanced' },
    cloneStrategy: 'copy',
  },
  { name: 'azure-file', provisioner: 'file.csi.azure.com', cloneStrategy: 'copy' },
];

/** By who says how its volumes are cloned. */
export const STRATEGY_CLASSES: readonly TestClass[] = [
  ofOurs('annotated-csi-clone', [RWO_FILESYSTEM], {
    annotations: { 'cdi.kubevirt.io/clone-strategy': 'csi-clone' },
    cloneStrategy: 'csi-clone',
  }),
  {
    name: 'ceph-rbd-by-copy',
    provisioner: 'rbd.csi.ceph.com',
    profile: { cloneStrategy: 'copy' },
    cloneStrategy: 'copy',
  },
  {
    name: 'ours-by-snapshot',
    provisioner: 'disks.example',
    profile: { claimPropertySets: [RWX_BLOCK], cloneStrategy: 'snapshot' },
    cloneStrategy: 'snapshot',
  },
];

export const CLASSES: readonly TestClass[] = [
  ...OVERHEAD_CLASSES,
  ...SET_CLASSES,
  ...MINIMUM_CLASSES,
  ...PROVISIONER_CLASSES,
  ...STRATEGY_CLASSES,
];

export function storageClassOf({ name, provisioner, parameters, annotations }: TestClass): object {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations: annotations ?? {} },
    provisioner,
    ...(parameters ? { parameters } : {}),
  };
}

/** What an administrator adds to its StorageProfile; null where that is nothing. */
export function profileOf({ name, profile, minimumPvcSize }: TestClass): object | null {
  if (!profile && minimumPvcSize === undefined) return null;
  const annotations =
    minimumPvcSize === undefined ? {} : { 'cdi.kubevirt.io/minimumSupportedPvcSize': minimumPvcSize };
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'StorageProfile',
    metadata: { name, annotations },
    spec: profile ?? {},
  };
}
