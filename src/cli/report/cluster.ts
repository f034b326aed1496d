import type { Settings } from '../../config/settings.ts';
import type { Density } from '../../density/density.ts';
import { mergeHighWater } from '../../density/high-water.ts';
import { planningDensity } from '../../density/planning.ts';
import type { KubeApi } from '../../kube/api.ts';
import { connectCluster } from '../../kube/client.ts';
import { type Pass, systemClock } from '../../kube/clock.ts';
import { countPods, readAllocatable } from '../../kube/density.ts';
import { kubeErrorCode } from '../../kube/failures.ts';
import { readMarks } from '../../kube/marks.ts';
import { readConnectionLimit } from '../../kube/multus.ts';
import { readStorage } from '../../kube/storage.ts';
import { readSubjects } from '../../kube/subjects.ts';
import type { Flags, Terminal } from '../command.ts';
import { version } from '../version.ts';
import { importSourcesAmong, type WorldFacts } from '../world.ts';
import type { Inputs } from './inputs.ts';

/** For everything that is read of the cluster. */
const DEADLINE_MS = 120_000;

/** As the webhook has it: the marks that it keeps, and what is counted now. */
async function densityOf(
  api: KubeApi,
  { density, configuration }: Settings,
  override: number | undefined,
  pass: Pass,
): Promise<Density> {
  const { statistic, fixed, minimum } = density;
  if (override !== undefined) return planningDensity({ statistic: 'fixed', pods: override });
  if (statistic === 'fixed') return planningDensity({ statistic, pods: fixed ?? minimum });
  const counted =
    statistic === 'allocatable' ? await readAllocatable(api, pass) : (await countPods(api, pass)).pods;
  const stored = await readMarks(api, configuration.cluster.namespace, statistic, pass).catch((error) => {
    // Whoever reads the cluster need not be allowed into our namespace.
    if (kubeErrorCode(error) === 'forbidden') return null;
    throw error;
  });
  return planningDensity({ statistic, minimum, marks: mergeHighWater(stored?.marks ?? new Map(), counted) });
}

/** The objects of the cluster as they are stored, and what is known of it. Throws KubeError. */
export async function readCluster(
  flags: Flags,
  settings: Settings,
  density: number | undefined,
  terminal: Terminal,
): Promise<Inputs & { readonly facts: WorldFacts }> {
  const connection = await connectCluster(
    { kind: 'kubeconfig', context: flags.text('context') },
    `plimsoll/${version()}`,
  );
  try {
    terminal.stderr.write(`plimsoll: reading the cluster of context ${connection.context}\n`);
    const pass = { clock: systemClock, deadline: Date.now() + DEADLINE_MS, signal: terminal.signal };
    const { api } = connection;
    const selection = {
      namespace: flags.text('namespace') ?? null,
      labelSelector: flags.text('selector') ?? null,
    };
    const { objects, forbidden } = await readSubjects(api, selection, pass);
    const storage = await readStorage(api, pass);
    for (const kind of new Set([...forbidden, ...storage.forbidden]))
      terminal.stderr.write(`plimsoll: this user may not read objects of kind ${kind}\n`);
    return {
      subjects: objects.map((object) => ({
        object,
        oldObject: null,
        operation: 'CREATE',
        file: null,
        line: null,
      })),
      broken: [],
      ignored: 0,
      facts: {
        storage: storage.facts,
        density: await densityOf(api, settings, density, pass),
        connectionLimit: await readConnectionLimit(
          api,
          settings.configuration.cluster.multusNamespaces,
          pass,
        ),
        findImportSource: importSourcesAmong(objects),
      },
    };
  } finally {
    await connection.close();
  }
}
