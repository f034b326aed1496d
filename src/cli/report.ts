import { readFile } from 'node:fs/promises';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import type { World } from '../evaluate/world.ts';
import { floorOf } from '../floor/curve.ts';
import { FORMATS, formatNamed } from '../report/formats.ts';
import { type Report, type ReportResult, summarize } from '../report/model.ts';
import { onlyNew } from '../report/previous.ts';
import { type Command, choice, type Flags, type Terminal, UsageError, wholeNumber } from './command.ts';
import type { BrokenManifest } from './manifests.ts';
import { readCluster } from './report/cluster.ts';
import { type Inputs, readInputs } from './report/inputs.ts';
import { judgeSubjects } from './report/judging.ts';
import { type Progress, showProgress } from './report/progress.ts';
import { version } from './version.ts';
import { manifestWorld, offlineDensity, type WorldFacts, worldOf } from './world.ts';

const HELP = `plimsoll report: what Plimsoll would do to these objects; changes nothing

Usage: plimsoll report -f PATH|- [-f PATH]... [-o FORMAT] [--density N] [--fail-level LEVEL]
       plimsoll report --cluster [--context NAME] [--namespace NS] [--selector LABELS] [-o FORMAT]

  -f, --filename PATH   a file, a folder, or - for standard input; YAML or JSON, many documents, Lists,
                        AdmissionReviews; may be repeated
      --cluster         the objects of the cluster of the current context, as they are stored
      --context NAME    another context of the kubeconfig
      --namespace NS    of objects in files that name none (default: default); with --cluster: only this one
  -l, --selector LABELS with --cluster: only objects with these labels
  -o, --output FORMAT   ${FORMATS.map(({ name }) => name).join(', ')}
                        (default: table on a terminal, else json)
      --config FILE     the webhook's configuration (default: its defaults)
      --density N       pods on the densest node, for the memory floors
      --previous FILE   an earlier report (-o json): only what is new since then
      --fail-level L    error: exit 2 where something would be denied (default); warn: also for warnings; never
      --unknown WORD    fail: exit 3 where an image could not be looked at; ignore (default)

In files, StorageProfiles, StorageClasses, CDIConfig, the CDI and VolumeImportSources are taken into account.

Examples:
  plimsoll report -f manifests/ --density 90
  kustomize build . | plimsoll report -f - -o markdown
  plimsoll report --cluster -o html > report.html
`;

const FLAGS = {
  filename: { type: 'string', short: 'f', multiple: true },
  cluster: { type: 'boolean' },
  context: { type: 'string' },
  selector: { type: 'string', short: 'l' },
  output: { type: 'string', short: 'o' },
  config: { type: 'string' },
  namespace: { type: 'string' },
  density: { type: 'string' },
  previous: { type: 'string' },
  'fail-level': { type: 'string' },
  unknown: { type: 'string' },
} as const;

function brokenResult({ file, line, problem }: BrokenManifest): ReportResult {
  return {
    policy: 'volume-size',
    rule: 'broken-manifest',
    result: 'error',
    severity: 'medium',
    resource: { apiVersion: '', kind: '', namespace: '', name: '', uid: '' },
    field: '',
    message: `${file}:${line}: cannot be read: ${problem}`,
    properties: { reason: 'broken-manifest' },
    file,
    line,
  };
}

/** The floors' curves, for the formats that draw them. */
function curvesOf({ floorSettings }: Settings, density: number): Report['curves'] {
  const densities = [...new Set([0, 30, 60, 90, 110, 150, 200, 250, density])].sort((a, b) => a - b);
  return [...floorSettings].map(([target, { curve }]) => ({
    target,
    points: densities.map((pods) => ({ pods, bytes: floorOf(curve, pods) })),
  }));
}

function exitCode(
  { results, summary }: Report,
  failLevel: 'error' | 'warn' | 'never',
  failOnUnknown: boolean,
): number {
  if (results.some(({ rule }) => rule === 'broken-manifest')) return 1;
  if (failLevel !== 'never' && (summary.fail > 0 || (failLevel === 'warn' && summary.warn > 0))) return 2;
  return failOnUnknown && summary.error > 0 ? 3 : 0;
}

async function readPrevious(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const why =
      error instanceof SyntaxError
        ? 'is no JSON'
        : `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw new UsageError(`${file}: ${why}`);
  }
}

interface Asked extends Inputs {
  readonly facts: WorldFacts;
}

async function readAsked(flags: Flags, settings: Settings, terminal: Terminal): Promise<Asked> {
  const paths = flags.texts('filename');
  const override = wholeNumber('density', flags.text('density'), 0, 5000);
  if (flags.on('cluster')) {
    if (paths.length > 0) throw new UsageError('--cluster and -f exclude each other');
    return readCluster(flags, settings, override, terminal);
  }
  if (paths.length === 0)
    throw new UsageError("report needs -f PATH, -f - or --cluster; see 'plimsoll report --help'");
  const inputs = await readInputs(paths, terminal);
  const density = offlineDensity(settings, override);
  return {
    ...inputs,
    facts: manifestWorld(
      inputs.subjects.map(({ object }) => object),
      density,
    ),
  };
}

async function judge(
  asked: Asked,
  world: World,
  flags: Flags,
  progress: Progress,
  signal: AbortSignal,
): Promise<Report> {
  const judged = await judgeSubjects(asked.subjects, {
    namespace: flags.text('namespace') ?? 'default',
    world,
    signal,
    onJudged: progress.judged,
  });
  const results = [...judged, ...asked.broken.map(brokenResult)];
  return {
    summary: summarize(results),
    results,
    density: world.density,
    curves: curvesOf(world.settings, world.density.pods),
    ignored: asked.ignored,
  };
}

export const report: Command = {
  help: HELP,
  options: FLAGS,
  positionals: 0,
  run: async (flags, terminal) => {
    const isTerminal = terminal.stdout.isTTY === true;
    const format = formatNamed(flags.text('output') ?? (isTerminal ? 'table' : 'json'));
    if (!format)
      throw new UsageError(`--output has to be one of ${FORMATS.map(({ name }) => name).join(', ')}`);
    const failLevel = choice('fail-level', flags.text('fail-level') ?? 'error', ['error', 'warn', 'never']);
    const unknown = choice('unknown', flags.text('unknown') ?? 'ignore', ['ignore', 'fail']);
    const previousFile = flags.text('previous');
    const previous = previousFile === undefined ? null : await readPrevious(previousFile);
    const settings = await loadSettings(flags.text('config'));
    const asked = await readAsked(flags, settings, terminal);

    const progress = showProgress(terminal, asked.subjects.length, Date.now);
    const world = worldOf(settings, asked.facts, progress.looked);
    const all = await judge(asked, world, flags, progress, terminal.signal);
    progress.end();
    if (terminal.signal.aborted)
      terminal.stderr.write('plimsoll: interrupted; this is what was found until then\n');
    const made = previous === null ? all : onlyNew(all, previous);
    terminal.stdout.write(
      format.render(made, {
        color: isTerminal && terminal.env['NO_COLOR'] === undefined,
        version: version(),
        at: new Date().toISOString(),
        width: isTerminal ? (terminal.stdout.columns ?? 80) : null,
      }),
    );
    // What was not looked at any more must not pass for clean.
    return terminal.signal.aborted ? 1 : exitCode(made, failLevel, unknown === 'fail');
  },
};
