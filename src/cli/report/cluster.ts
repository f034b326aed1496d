import type { Settings } from '../../config/settings.ts';
import type { KubeApi } from '../../kube/api.ts';
import { type Connection, connectCluster } from '../../kube/client.ts';
import { type Pass, systemClock } from '../../kube/clock.ts';
import { importSourcesAmong } from '../../kube/import-sources.ts';
import { readSubjects, type SubjectSelection } from '../../kube/subjects.ts';
import { surveyCluster } from '../../kube/survey.ts';
import type { Flags, Terminal } from '../command.ts';
import { version } from '../version.ts';
import type { WorldFacts } from '../world.ts';
import type { Inputs } from './inputs.ts';

/** For everything that is read of the cluster, and again for everything that is written. */
const DEADLINE_MS = 120_000;

/** The cluster that the flags mean; the caller closes it. Throws KubeError. */
export async function connect(flags: Flags, { stderr }: Terminal): Promise<Connection> {
  const choice = { kind: 'kubeconfig', context: flags.text('context') } as const;
  const connection = await connectCluster(choice, `plimsoll/${version()}`);
  stderr.write(`plimsoll: the cluster of context ${connection.context}\n`);
  return connection;
}

/** One pass over the cluster, which ends with the signal. */
export function passOf({ signal }: Terminal): Pass {
  return { clock: systemClock, deadline: Date.now() + DEADLINE_MS, signal };
}

export interface ClusterInputs extends Inputs {
  readonly facts: WorldFacts;
  /** Whether it is everything that can be judged in the cluster. */
  readonly isWhole: boolean;
}

/** The objects of the cluster as they are stored, and what the webhook there would know of it. Throws KubeError. */
export async function readCluster(
  api: KubeApi,
  flags: Flags,
  settings: Settings,
  density: number | undefined,
  terminal: Terminal,
): Promise<ClusterInputs> {
  const { cluster } = settings.configuration;
  const pass = passOf(terminal);
  const selection: SubjectSelection = {
    kinds: kindsUnder(settings),
    namespace: flags.text('namespace') ?? null,
    labelSelector: flags.text('selector') ?? null,
  };
  const subjects = await readSubjects(api, selection, pass);
  const planning =
    density === undefined
      ? settings.density
      : { ...settings.density, statistic: 'fixed' as const, fixed: density };
  const survey = await surveyCluster(
    { api, namespace: cluster.namespace, planning, multusNamespaces: cluster.multusNamespaces },
    pass,
  );
  for (const kind of new Set([...subjects.forbidden, ...survey.forbidden]))
    terminal.stderr.write(`plimsoll: this user may not read objects of kind ${kind}\n`);
  return {
    subjects: subjects.objects.map((object) => ({
      object,
      oldObject: null,
      operation: 'CREATE',
      namespace: null,
      file: null,
      line: null,
    })),
    broken: [],
    ignored: 0,
    facts: { ...survey, findImportSource: importSourcesAmong(subjects.objects) },
    isWhole:
      subjects.forbidden.length === 0 && selection.namespace === null && selection.labelSelector === null,
  };
}

/** The kinds that the webhook judges under these settings: what nobody judges need not be read. */
function kindsUnder({ configuration: { volumeSize }, floorTargets, floorSettings }: Settings): Set<string> {
  const ofFloors = floorTargets.filter(({ name }) => floorSettings.has(name)).flatMap(({ kinds }) => kinds);
  return new Set([
    'DataVolume',
    'DataImportCron',
    ...(volumeSize.virtualMachines ? ['VirtualMachine'] : []),
    ...(volumeSize.importClaims ? ['PersistentVolumeClaim', 'VolumeImportSource'] : []),
    ...ofFloors.map(({ kind }) => kind),
  ]);
}
