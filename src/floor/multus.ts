import { at, listAt, textAt } from '../object/object.ts';
import { formatQuantity } from '../quantity/format.ts';
import { hasCommand, imageOf, runs } from './container.ts';
import { floorOf, multusCurves } from './curve.ts';
import type { FloorContext, FloorTarget } from './floor.ts';
import { judgeContainers, POD_SPEC } from './workload.ts';

const DAEMON = 'multus-daemon';

/** What a thick image can be told to run instead of the daemon. */
const OTHER_PROGRAMS = [
  'thin_entrypoint',
  'install_multus',
  'kubeconfig_generator',
  'cert-approver',
  'passthru',
];

/** What a thin image runs; thin images also run their entrypoint where no command is given. */
const THIN_PROGRAMS = ['thin_entrypoint', 'entrypoint.sh'];

/** `multus`, `multus-cni`, and with a distribution's prefix such as `hardened-`. */
const MULTUS_IMAGE = /^(?:[a-z0-9]+[-_])*multus(?:-cni)?$/;

/** Rancher names the whole repository after the variant; all others the tag: `snapshot-thick`, `v4.1.4-eksbuild.3_thick`. */
const THICK_IMAGE = /^(?:[a-z0-9]+[-_])*multus(?:-cni)?-thick$/;
const THICK_TAG = /(?:^|[-_.])thick(?:$|[-_.])/;

/** Up to here the default curve was shown to hold for small delegates and for the current cilium-cni alike. */
const SHOWN_DENSITY = 110;

/**
 * The thick-plugin daemon of Multus, in which every CNI call of a node runs. It is told by what its container runs:
 * thin Multus and the companions share its names and labels.
 */
export const multus: FloorTarget = {
  name: 'multus',
  kinds: [{ group: 'apps', kind: 'DaemonSet' }],
  judge: (subject, settings, context) => {
    const containers = listAt(subject.object, ...POD_SPEC, 'containers');
    const daemons = daemonsAmong(containers);
    if (daemons.length > 0) {
      return judgeContainers({
        target: 'multus',
        subject,
        containers: daemons,
        settings,
        context,
        notesOn: (container, floor) => notesOn(container, floor, context),
      });
    }
    const reason = whyUntouched(textAt(subject.object, 'metadata', 'name') ?? '', containers);
    return reason === null ? null : { kind: 'skip', target: 'multus', reason, warning: null };
  },
};

/** Places of the containers that run the daemon: those that say so, else those whose image would. */
function daemonsAmong(containers: readonly unknown[]): number[] {
  const named = placesOf(containers, (container) => runs(container, DAEMON));
  return named.length > 0 ? named : placesOf(containers, isThickImageAtWork);
}

function placesOf(containers: readonly unknown[], test: (container: unknown) => boolean): number[] {
  return containers.flatMap((container, index) => (test(container) ? [index] : []));
}

function isThickImageAtWork(container: unknown): boolean {
  const { name, tag } = imageOf(container);
  const isThick = THICK_IMAGE.test(name) || (MULTUS_IMAGE.test(name) && THICK_TAG.test(tag));
  return isThick && !OTHER_PROGRAMS.some((program) => runs(container, program));
}

/** Why a DaemonSet that looks like Multus is not the daemon; null where it does not look like it. */
function whyUntouched(name: string, containers: readonly unknown[]): string | null {
  if (containers.some(isThin))
    return 'thin Multus: its binary runs under the container runtime, outside of this pod';
  const mentionsMultus =
    name.includes('multus') ||
    containers.some((container) => {
      const image = imageOf(container);
      return image.repository.includes('multus') || (textAt(container, 'name') ?? '').includes('multus');
    });
  return mentionsMultus ? 'a companion of Multus: no container runs its daemon' : null;
}

function isThin(container: unknown): boolean {
  if (runs(container, 'thin_entrypoint')) return true;
  if (!MULTUS_IMAGE.test(imageOf(container).name)) return false;
  return !hasCommand(container) || THIN_PROGRAMS.some((program) => runs(container, program));
}

function notesOn(container: unknown, floor: bigint, { density, connectionLimit }: FloorContext): string[] {
  const notes: string[] = [];
  if (!listAt(container, 'env').some((variable) => at(variable, 'name') === 'MULTUS_NODE_NAME')) {
    notes.push(
      'MULTUS_NODE_NAME is not set: the daemon then keeps the pods of the whole cluster, about 31 KB each, instead of those of its node',
    );
  }
  const cilium = floorOf(multusCurves.cilium, density.pods);
  if (connectionLimit == null && density.pods > SHOWN_DENSITY && floor < cilium) {
    notes.push(
      `at ${density.pods} pods ${formatQuantity(floor)} is enough for small delegate plugins only: for cilium-cni or a bigger delegate ` +
        `set connectionLimit in the configuration of the daemon, which bounds the memory at any density, or a higher perPod (cilium-cni: ${formatQuantity(cilium)})`,
    );
  }
  return notes;
}
