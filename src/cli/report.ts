import { readFile } from 'node:fs/promises';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import type { RenderOptions, Report } from '../report/model.ts';
import { onlyNew } from '../report/previous.ts';
import { type Command, type Flags, type Terminal, UsageError } from './command.ts';
import { connect, passOf, readCluster } from './report/cluster.ts';
import { type Inputs, readInputs } from './report/inputs.ts';
import { exitCodeOf, makeReport } from './report/making.ts';
import { showProgress } from './report/progress.ts';
import { FLAGS, FORMAT_NAMES, type ReportRequest, readRequest, VALUES } from './report/request.ts';
import { chooseReportApi, writeReports } from './report/writing.ts';
import { version } from './version.ts';
import { manifestWorld, offlineDensity, type WorldFacts, worldOf } from './world.ts';

const HELP = `plimsoll report: what Plimsoll would do to these objects

Usage: plimsoll report -f PATH|- [-f PATH]... [-o FORMAT] [--density N] [--fail-level LEVEL]
       plimsoll report --cluster [--context NAME] [--namespace NS] [--selector LABELS] [-o FORMAT] [--write API]

It changes nothing, but with --write the reports in the cluster.

  -f, --filename PATH   a file, a folder, or - for standard input; YAML or JSON, many documents, Lists,
                        AdmissionReviews; may be repeated
      --cluster         the objects of the cluster of the current context, as they are stored
      --context NAME    another context of the kubeconfig
      --namespace NS    of objects in files that name none (default: default); with --cluster: only this one
  -l, --selector LABELS with --cluster: only objects with these labels
  -o, --output FORMAT   ${FORMAT_NAMES}
                        (default: table on a terminal, else json; with --write: none)
      --write API       with --cluster: a report for each object that has findings, in the cluster, and none for clean
                        ones: policyreports (wgpolicyk8s.io), openreports (openreports.io), or auto (what is installed)
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

async function readPrevious(file: string | undefined): Promise<unknown> {
  if (file === undefined) return null;
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

/** Judges; where the user interrupts, the report is of what was judged until then. */
async function judge(
  inputs: Inputs & { readonly facts: WorldFacts },
  settings: Settings,
  flags: Flags,
  terminal: Terminal,
): Promise<Report> {
  const { signal } = terminal;
  const progress = showProgress(terminal, inputs.subjects.length, Date.now);
  const world = worldOf(settings, inputs.facts, { looked: progress.looked, signal });
  const namespace = flags.text('namespace') ?? 'default';
  const made = await makeReport(inputs, { namespace, world, signal, onJudged: progress.judged });
  progress.end();
  return made;
}

function renderOptions({ stdout, env }: Terminal): RenderOptions {
  const isTerminal = stdout.isTTY === true;
  return {
    color: isTerminal && env['NO_COLOR'] === undefined,
    version: version(),
    at: new Date().toISOString(),
    width: isTerminal ? (stdout.columns ?? 80) : null,
  };
}

interface Outcome {
  readonly made: Report;
  /** Whether everything was done that was asked for. */
  readonly isDone: boolean;
}

async function reportManifests(
  { flags, paths, density }: ReportRequest,
  settings: Settings,
  terminal: Terminal,
): Promise<Outcome> {
  const inputs = await readInputs(paths, terminal);
  const objects = inputs.subjects.map(({ object }) => object);
  const facts = manifestWorld(objects, offlineDensity(settings, density));
  return { made: await judge({ ...inputs, facts }, settings, flags, terminal), isDone: true };
}

async function reportCluster(
  { flags, write, density }: ReportRequest,
  settings: Settings,
  terminal: Terminal,
): Promise<Outcome> {
  const connection = await connect(flags, terminal);
  try {
    const { api } = connection;
    // Asked first: whoever wants reports written need not wait to be told that they cannot be.
    const target = write === undefined ? null : await chooseReportApi(api, write, passOf(terminal));
    const inputs = await readCluster(api, flags, settings, density, terminal);
    const made = await judge(inputs, settings, flags, terminal);
    if (target === null || terminal.signal.aborted) return { made, isDone: target === null };
    const writing = { target, namespace: flags.text('namespace') ?? null, inputs };
    const done = await writeReports(api, made, writing, renderOptions(terminal), passOf(terminal));
    const { written, unchanged, deleted, refused } = done;
    terminal.stderr.write(
      `plimsoll: ${target.apiVersion}: ${written} written, ${unchanged} unchanged, ${deleted} deleted\n`,
    );
    for (const message of refused) terminal.stderr.write(`plimsoll: not written: ${message}\n`);
    return { made, isDone: refused.length === 0 };
  } finally {
    await connection.close();
  }
}

export const report: Command = {
  help: HELP,
  options: FLAGS,
  values: VALUES,
  positionals: 0,
  run: async (flags, terminal) => {
    const { stdout, stderr, signal } = terminal;
    const request = readRequest(flags, terminal);
    const previous = await readPrevious(flags.text('previous'));
    const settings = await loadSettings(flags.text('config'));
    const { made: all, isDone } = flags.on('cluster')
      ? await reportCluster(request, settings, terminal)
      : await reportManifests(request, settings, terminal);

    if (signal.aborted) stderr.write('plimsoll: interrupted; this is what was found until then\n');
    const made = previous === null ? all : onlyNew(all, previous);
    if (request.format !== null) stdout.write(request.format.render(made, renderOptions(terminal)));
    // What was not looked at any more must not pass for clean.
    if (signal.aborted || !isDone) return 1;
    return exitCodeOf(made, request.failLevel, request.failOnUnknown);
  },
};
