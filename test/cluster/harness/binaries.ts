import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { constants, homedir, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { killAtEnd, removeAtEnd } from './leftovers.ts';

export type Binary =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kubectl'
  | 'helm'
  | 'cdi-controller'
  | 'cdi-importer'
  | 'multus-daemon'
  | 'multus-shim'
  | 'ptp'
  | 'host-local'
  | 'sized-delegate';

/** Manifests that a project's own code prints. */
export type Manifest = 'crds.yaml' | 'vm-crd.yaml';

type GoModule = 'kubernetes' | 'cdi' | 'kubevirt' | 'multus';

interface Recipe {
  /** A folder beside this one. */
  readonly module: GoModule;
  /** What follows `go build -trimpath -o …` or, for a manifest, `go run`. */
  readonly args: readonly string[];
}

// Without the version kubectl cannot parse its own.
const KUBERNETES_VERSION = ['gitVersion=v1.37.2', 'gitMajor=1', 'gitMinor=37'].map(
  (field) => `-X k8s.io/component-base/version.${field}`,
);
const KUBERNETES_FLAGS = ['-ldflags', ['-s', '-w', ...KUBERNETES_VERSION].join(' ')];
const STRIPPED = ['-ldflags', '-s -w'];
// Without the C libraries of the storage drivers.
const CDI_FLAGS = [
  '-tags',
  'containers_image_openpgp,exclude_graphdriver_btrfs,exclude_graphdriver_devicemapper',
];
const CDI = 'kubevirt.io/containerized-data-importer/cmd';
const MULTUS = 'gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd';
const CNI_PLUGINS = 'github.com/containernetworking/plugins/plugins';

const BINARIES: Readonly<Record<Binary, Recipe>> = {
  etcd: { module: 'kubernetes', args: [...STRIPPED, 'go.etcd.io/etcd/server/v3'] },
  'kube-apiserver': {
    module: 'kubernetes',
    args: [...KUBERNETES_FLAGS, 'k8s.io/kubernetes/cmd/kube-apiserver'],
  },
  'kube-controller-manager': {
    module: 'kubernetes',
    args: [...KUBERNETES_FLAGS, 'k8s.io/kubernetes/cmd/kube-controller-manager'],
  },
  kubectl: { module: 'kubernetes', args: [...KUBERNETES_FLAGS, 'k8s.io/kubernetes/cmd/kubectl'] },
  helm: { module: 'kubernetes', args: [...KUBERNETES_FLAGS, 'helm.sh/helm/v4/cmd/helm'] },
  'cdi-controller': { module: 'cdi', args: [...CDI_FLAGS, `${CDI}/cdi-controller`] },
  'cdi-importer': { module: 'cdi', args: [...CDI_FLAGS, `${CDI}/cdi-importer`] },
  'multus-daemon': { module: 'multus', args: [...STRIPPED, `${MULTUS}/multus-daemon`] },
  'multus-shim': { module: 'multus', args: [...STRIPPED, `${MULTUS}/multus-shim`] },
  ptp: { module: 'multus', args: [...STRIPPED, `${CNI_PLUGINS}/main/ptp`] },
  'host-local': { module: 'multus', args: [...STRIPPED, `${CNI_PLUGINS}/ipam/host-local`] },
  'sized-delegate': { module: 'multus', args: [...STRIPPED, './delegate'] },
};

const MANIFESTS: Readonly<Record<Manifest, Recipe>> = {
  'crds.yaml': { module: 'cdi', args: ['./crds'] },
  'vm-crd.yaml': { module: 'kubevirt', args: ['.'] },
};

export type BinaryErrorCode = 'no-go' | 'build-failed';

/** A binary is neither there nor can it be built. */
export class BinaryError extends Error {
  readonly code: BinaryErrorCode;

  constructor(code: BinaryErrorCode, message: string) {
    super(message);
    this.name = 'BinaryError';
    this.code = code;
  }
}

/**
 * The path of that program: from KUBEBUILDER_ASSETS, or from the cache, or built into the cache with Go
 * (which takes minutes, once on a machine). Throws BinaryError.
 */
export async function findBinary(name: Binary): Promise<string> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets !== undefined && (await exists(join(assets, name)))) return join(assets, name);
  const { module, args } = BINARIES[name];
  return cached(name, module, (output) =>
    go(name, module, ['build', '-trimpath', '-o', output, ...args], null),
  );
}

/** The path of that manifest: from the cache, or printed into it with Go. Throws BinaryError. */
export async function findManifest(name: Manifest): Promise<string> {
  const { module, args } = MANIFESTS[name];
  return cached(name, module, (output) => go(name, module, ['run', ...args], output));
}

function moduleFolder(module: GoModule): string {
  return fileURLToPath(new URL(`../${module}/`, import.meta.url));
}

/** Named by what is built, so that a clean checkout finds it and another version does not. */
async function cacheFolder(module: GoModule): Promise<string> {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) hash.update(await readFile(join(moduleFolder(module), file)));
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(base, 'plimsoll-test', hash.digest('hex').slice(0, 16));
}

async function cached(
  name: string,
  module: GoModule,
  make: (output: string) => Promise<void>,
): Promise<string> {
  const folder = await cacheFolder(module);
  const path = join(folder, name);
  if (await exists(path)) return path;
  await mkdir(folder, { recursive: true });
  // Made aside and then renamed: an interrupted build leaves nothing that looks whole.
  const aside = await mkdtemp(join(folder, '.making-'));
  const forget = removeAtEnd(aside);
  try {
    await make(join(aside, name));
    await rename(join(aside, name), path);
  } finally {
    await rm(aside, { recursive: true, force: true });
    forget();
  }
  return path;
}

/** Runs Go in the module's folder; what it prints goes to `output`, where one is given. */
async function go(
  name: string,
  module: GoModule,
  args: readonly string[],
  output: string | null,
): Promise<void> {
  console.error(`test/cluster: making ${name} (Go module ${module}); this is done once and may take minutes`);
  const start = performance.now();
  const printed = output === null ? null : await open(output, 'w');
  try {
    const code = await exitCode(
      spawn('go', args, { cwd: moduleFolder(module), stdio: ['ignore', printed?.fd ?? 'ignore', 'inherit'] }),
    );
    if (code !== 0)
      throw new BinaryError('build-failed', `go ${args[0]} failed for ${name}, with exit code ${code}`);
  } catch (cause) {
    if (cause instanceof BinaryError) throw cause;
    throw new BinaryError('no-go', `${name} is missing, and there is no Go (1.26 or later) to make it`);
  } finally {
    await printed?.close();
  }
  console.error(`test/cluster: made ${name} in ${Math.round((performance.now() - start) / 1000)} s`);
}

/** Throws where it cannot be started. */
async function exitCode(child: ChildProcess): Promise<number | null> {
  const ended = Promise.withResolvers<number | null>();
  child.once('error', ended.reject);
  child.once('exit', ended.resolve);
  if (child.pid === undefined) return ended.promise;
  const forget = killAtEnd(child.pid);
  // Others work on this machine too.
  setPriority(child.pid, constants.priority.PRIORITY_LOW);
  try {
    return await ended.promise;
  } finally {
    forget();
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
