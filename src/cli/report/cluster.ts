import type { Settings } from '../../config/settings.ts';
import { connectCluster } from '../../kube/client.ts';
import { systemClock } from '../../kube/clock.ts';
import { readSubjects } from '../../kube/subjects.ts';
import { surveyCluster } from '../../kube/survey.ts';
import type { Flags, Terminal } from '../command.ts';
import { version } from '../version.ts';
import { importSourcesAmong, type WorldFacts } from '../world.ts';
import type { Inputs } from './inputs.ts';

/** For everything that is read of the cluster. */
const DEADLINE_MS = 120_000;

/** The objects of the cluster as they are stored, and what the webhook there would know of it. Throws KubeError. */
export async function readCluster(
  flags: Flags,
  settings: Settings,
  density: number | undefined,
  terminal: Terminal,
): Promise<Inputs & { readonly facts: WorldFacts }> {
  const { stderr, signal } = terminal;
  const { cluster } = settings.configuration;
  const connection = await connectCluster(
    { kind: 'kubeconfig', context: flags.text('context') },
    `plimsoll/${version()}`,
  );
  try {
    stderr.write(`plimsoll: reading the cluster of context ${connection.context}\n`);
    const pass = { clock: systemClock, deadline: Date.now() + DEADLINE_MS, signal };
    const { api } = connection;
    const namespace = flags.text('namespace') ?? null;
    const subjects = await readSubjects(
      api,
      { namespace, labelSelector: flags.text('selector') ?? null },
      pass,
    );
    const planning =
      density === undefined
        ? settings.density
        : { ...settings.density, statistic: 'fixed' as const, fixed: density };
    const survey = await surveyCluster(
      { api, namespace: cluster.namespace, planning, multusNamespaces: cluster.multusNamespaces },
      pass,
    );
    for (const kind of new Set([...subjects.forbidden, ...survey.forbidden]))
      stderr.write(`plimsoll: this user may not read objects of kind ${kind}\n`);
    return {
      subjects: subjects.objects.map((object) => ({
        object,
        oldObject: null,
        operation: 'CREATE',
        file: null,
        line: null,
      })),
      broken: [],
      ignored: 0,
      facts: { ...survey, findImportSource: importSourcesAmong(subjects.objects) },
    };
  } finally {
    await connection.close();
  }
}
