import { readdirSync } from 'node:fs';
import t from 'tap';
import {
  admitted,
  atDensity,
  checksOf,
  creating,
  judgeBuiltIn,
  manifest,
  memoryOf,
  multusWith,
} from './subject.ts';

/** What becomes of each variant at 90 pods, where the floor is 500Mi. */
type Expected =
  | { readonly raised: string; readonly request: string | undefined }
  | { readonly left: 'ok' | 'unlimited' }
  | { readonly skipped: RegExp }
  | 'none of ours';

const THIN = /^thin Multus/;
const COMPANION = /^a companion of Multus/;

const variants: Readonly<Record<string, Expected>> = {
  'upstream-thick': { raised: '500Mi', request: '500Mi' },
  'upstream-thin': { skipped: THIN },
  'eks-thick-v4.0.2-build1': { raised: '500Mi', request: '500Mi' },
  'eks-thick-v4.1.4-build1': { raised: '500Mi', request: '500Mi' },
  'eks-thick-v4.1.4-build3': { raised: '500Mi', request: '500Mi' },
  'eks-thin': { skipped: THIN },
  'rke2-thick': { left: 'unlimited' },
  'rke2-thick-with-resources': { left: 'ok' },
  'rke2-thin': { skipped: THIN },
  'rke2-thin-before-2024': { skipped: THIN },
  'rke2-multus-dhcp': { skipped: COMPANION },
  harvester: { skipped: THIN },
  openshift: { left: 'unlimited' },
  'openshift-additional-cni-plugins': { skipped: COMPANION },
  'openshift-admission-controller': { skipped: COMPANION },
  'openshift-whereabouts-reconciler': 'none of ours',
  cnao: { left: 'unlimited' },
  'cnao-dynamic-networks-controller': { skipped: COMPANION },
  cozystack: { left: 'ok' },
  'nvidia-network-operator': { skipped: THIN },
  microk8s: { skipped: THIN },
  kubermatic: { skipped: THIN },
  kubespray: { skipped: THIN },
  'helm-charts-old': { skipped: THIN },
  bitnami: { skipped: THIN },
  'nutanix-caren-128': { raised: '500Mi', request: '500Mi' },
  'nutanix-caren-256': { raised: '500Mi', request: '500Mi' },
  'nutanix-caren': { left: 'unlimited' },
  angelnu: { left: 'unlimited' },
  talos: { raised: '500Mi', request: '100Mi' },
  k0s: { raised: '500Mi', request: '500Mi' },
  networkpolicy: { skipped: COMPANION },
  'admission-controller-deployment': 'none of ours',
  unrelated: 'none of ours',
};

t.test('every variant has a row and every row a variant', async (t) => {
  const files = readdirSync(new URL('../../fixtures/multus/', import.meta.url));
  t.same(
    files.toSorted(),
    Object.keys(variants)
      .map((name) => `${name}.yaml`)
      .toSorted(),
  );
});

for (const [name, expected] of Object.entries(variants)) {
  t.test(`variant ${name}`, async (t) => {
    const object = manifest(`multus/${name}`);
    const outcomes = judgeBuiltIn(creating(object), atDensity(90));
    const after = admitted(object, outcomes);
    if (expected === 'none of ours') {
      t.same(outcomes, []);
    } else if ('skipped' in expected) {
      t.match(outcomes, [{ kind: 'skip', target: 'multus', reason: expected.skipped, warning: null }]);
    } else if ('left' in expected) {
      t.same(
        checksOf(outcomes).map(({ state }) => state),
        [expected.left],
      );
      t.same(after, object);
    } else {
      t.same(
        checksOf(outcomes).map(({ state }) => state),
        ['below'],
      );
      t.same(memoryOf(after), { limit: expected.raised, request: expected.request });
      t.same(withoutMemory(after), withoutMemory(object), 'nothing but the memory of the daemon changes');
    }
  });
}

function withoutMemory(object: object): unknown {
  const copy = structuredClone(object) as {
    spec: { template: { spec: { containers: { resources: Memory }[] } } };
  };
  const { resources } = copy.spec.template.spec.containers[0]!;
  delete resources.limits?.memory;
  delete resources.requests?.memory;
  return copy;
}

interface Memory {
  limits?: { memory?: string };
  requests?: { memory?: string };
}

const FIFTY = { limits: { memory: '50Mi' } };

const matching: Readonly<Record<string, { container: Record<string, unknown>; raised: boolean }>> = {
  'the daemon by its path': {
    container: { command: ['/usr/src/multus-cni/bin/multus-daemon'] },
    raised: true,
  },
  'the daemon by its bare name': { container: { command: ['multus-daemon'] }, raised: true },
  'the daemon in an argument': {
    container: { command: ['/sbin/tini'], args: ['--', '/bin/multus-daemon'] },
    raised: true,
  },
  'the daemon in a script': {
    container: { command: ['sh', '-c', 'x; exec /m/multus-daemon&&true'] },
    raised: true,
  },
  'a file that only begins like it': {
    container: { command: ['/watch', '/etc/multus-daemon-config.json'] },
    raised: false,
  },
  'a folder that is called like it': {
    container: { command: ['/watch', '/etc/multus-daemon/config'] },
    raised: false,
  },
  'a program that only ends like it': { container: { command: ['/bin/not-multus-daemon'] }, raised: false },
  'a later mention after one that is none': {
    container: { command: ['sh', '-c', 'cat multus-daemon.log; multus-daemon'] },
    raised: true,
  },
  'a thick tag': {
    container: { command: undefined, image: 'ghcr.io/x/multus-cni:v4.2.2-thick' },
    raised: true,
  },
  'a thick tag for one architecture': {
    container: { command: undefined, image: 'ghcr.io/x/multus-cni:latest-thick-amd64' },
    raised: true,
  },
  'a thick tag with a digest': {
    container: { command: undefined, image: 'ghcr.io/x/multus-cni:v4-thick@sha256:00' },
    raised: true,
  },
  'a thick tag at a registry with a port': {
    container: { command: undefined, image: 'registry:5000/multus-cni:stable_thick' },
    raised: true,
  },
  'a registry with a port and no tag': {
    container: { command: undefined, image: 'thick:5000/multus-cni' },
    raised: false,
  },
  'a thick repository': {
    container: { command: undefined, image: 'rancher/hardened-multus-thick:v4.2.1' },
    raised: true,
  },
  'a thick image under a wrapper': {
    container: { command: ['/wrapper.sh'], image: 'rancher/hardened-multus-thick:v4.2.1' },
    raised: true,
  },
  'a thick image that runs the thin entrypoint': {
    container: { command: ['/thin_entrypoint'], image: 'ghcr.io/x/multus-cni:v4-thick' },
    raised: false,
  },
  'a thick tag of something else': {
    container: { command: undefined, image: 'x/milkshake:very-thick' },
    raised: false,
  },
  'a tag that only contains the letters': {
    container: { command: undefined, image: 'ghcr.io/x/multus-cni:thicket' },
    raised: false,
  },
  'an image of no text': { container: { command: undefined, image: 7 }, raised: false },
  'a command of no list': { container: { command: 'multus-daemon' }, raised: false },
  'a command of no texts': { container: { command: [{}, null, 3] }, raised: false },
};

for (const [name, { container, raised }] of Object.entries(matching)) {
  t.test(`what runs: ${name}`, async (t) => {
    const object = multusWith(FIFTY, container);
    const after = admitted(object, judgeBuiltIn(creating(object), atDensity(90)));
    t.equal(memoryOf(after).limit, raised ? '500Mi' : '50Mi');
  });
}

t.test('thin Multus is told by its entrypoint whatever its image is called', async (t) => {
  const thin = {
    ...multusWith(FIFTY, { name: 'cni', command: ['/thin_entrypoint'] }),
    metadata: { name: 'cni' },
  };
  t.match(judgeBuiltIn(creating(thin), atDensity(90)), [{ kind: 'skip', reason: THIN }]);
});

t.test('a container that says so goes before one whose image would', async (t) => {
  const object = multusWith(FIFTY) as never as { spec: { template: { spec: { containers: unknown[] } } } };
  object.spec.template.spec.containers.unshift({
    name: 'side',
    image: 'x/multus-cni:v4-thick',
    resources: FIFTY,
  });
  const after = admitted(object as never, judgeBuiltIn(creating(object as never), atDensity(90)));
  t.equal(memoryOf(after, 0).limit, '50Mi');
  t.equal(memoryOf(after, 1).limit, '500Mi');
});

t.test('the field names the container, or its place where the name is none', async (t) => {
  const fieldFor = (name: unknown) =>
    checksOf(judgeBuiltIn(creating(multusWith(FIFTY, { name })), atDensity(90)))[0]?.field;
  t.equal(fieldFor('kube-multus'), 'spec.template.spec.containers[kube-multus].resources.limits.memory');
  t.equal(fieldFor('a\u001b[31m'), 'spec.template.spec.containers[0].resources.limits.memory');
  t.equal(fieldFor(undefined), 'spec.template.spec.containers[0].resources.limits.memory');
});

const notesFor = (object: object, ...rest: Parameters<typeof atDensity>) =>
  checksOf(judgeBuiltIn(creating(object as never), atDensity(...rest)))[0]!.notes;

t.test('a daemon that does not know its node is noted', async (t) => {
  const isNoted = (env: unknown) =>
    notesFor(multusWith(FIFTY, { env }), 90).some((note) => note.startsWith('MULTUS_NODE_NAME'));
  t.equal(isNoted([{ name: 'MULTUS_NODE_NAME' }]), false);
  t.equal(isNoted([{ name: 'OTHER' }]), true);
  t.equal(isNoted(undefined), true);
});

t.test('the cures for a density that the curve was not shown for', async (t) => {
  const isNoted = (...rest: Parameters<typeof atDensity>) =>
    notesFor(multusWith(FIFTY), ...rest).some((note) => /connectionLimit.*perPod/.test(note));
  t.equal(isNoted(110), false);
  t.equal(isNoted(120), true);
  t.equal(isNoted(250), true);
  t.equal(isNoted(250, { connectionLimit: null }), true);
  t.equal(isNoted(250, { connectionLimit: 20 }), false);
});

const bursts: Readonly<
  Record<string, { burst: 'density' | 'connectionLimit'; limit: number | null; wanted: string }>
> = {
  'the limit is not asked for': { burst: 'density', limit: 20, wanted: '500Mi' },
  'the limit is under the density': { burst: 'connectionLimit', limit: 20, wanted: '150Mi' },
  'the floor stays at its minimum': { burst: 'connectionLimit', limit: 5, wanted: '100Mi' },
  'the limit is over the density': { burst: 'connectionLimit', limit: 200, wanted: '500Mi' },
  'no limit is set': { burst: 'connectionLimit', limit: null, wanted: '500Mi' },
};

for (const [name, { burst, limit, wanted }] of Object.entries(bursts)) {
  t.test(`calls in flight: ${name}`, async (t) => {
    const outcomes = judgeBuiltIn(creating(multusWith(FIFTY)), atDensity(90, { connectionLimit: limit }), {
      burst,
    });
    t.equal(checksOf(outcomes)[0]?.wanted, wanted);
  });
}

t.test('one that is being deleted is left', async (t) => {
  const object = { ...multusWith(FIFTY), metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };
  t.match(judgeBuiltIn(creating(object), atDensity(90)), [{ kind: 'skip', reason: 'it is being deleted' }]);
});
