import { text as readAll } from 'node:stream/consumers';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { judgeObject } from '../evaluate/judge.ts';
import type { World } from '../evaluate/world.ts';
import { floorOf } from '../floor/curve.ts';
import { identify } from '../object/object.ts';
import { FORMATS, formatNamed } from '../report/formats.ts';
import { type Report, type ReportResult, summarize } from '../report/model.ts';
import { resultsOf } from '../report/results.ts';
import { storageFromObjects } from '../volume/facts.ts';
import { type Command, choice, readFlags, type Terminal, UsageError, wholeNumber } from './command.ts';
import {
  type BrokenManifest,
  findFiles,
  type Manifest,
  type Manifests,
  parseManifests,
  readManifestFile,
} from './manifests.ts';
import { version } from './version.ts';
import { offlineDensity, offlineWorld } from './world.ts';

const HELP = `plimsoll report: what Plimsoll would do to these objects; changes nothing

Usage: plimsoll report -f PATH|- [-f PATH]... [-o FORMAT] [--density N] [--fail-level LEVEL]

  -f, --filename PATH   a file, a folder, or - for standard input; YAML or JSON, many documents, Lists,
                        AdmissionReviews; may be repeated
  -o, --output FORMAT   ${FORMATS.map(({ name }) => name).join(', ')}
                        (default: table on a terminal, else json)
      --config FILE     the webhook's configuration (default: its defaults)
      --namespace NS    of objects that name none (default: default)
      --density N       pods on the densest node, for the memory floors
      --fail-level L    error: exit 2 where something would be denied (default); warn: also for warnings; never
      --unknown WORD    fail: exit 3 where an image could not be looked at; ignore (default)

StorageProfiles, StorageClasses, CDIConfig and the CDI among the manifests are taken into account.

Examples:
  plimsoll report -f manifests/ --density 90
  kustomize build . | plimsoll report -f - -o markdown
`;

const FLAGS = {
  filename: { type: 'string', short: 'f', multiple: true },
  output: { type: 'string', short: 'o' },
  config: { type: 'string' },
  namespace: { type: 'string' },
  density: { type: 'string' },
  'fail-level': { type: 'string' },
  unknown: { type: 'string' },
} as const;

/** Objects judged at the same time; images have their own, lower, limit. */
const AT_ONCE = 32;
/** Of our kinds, those that have no namespace. */
const CLUSTER_SCOPED = new Set(['CDI']);

async function load(paths: readonly string[], terminal: Terminal): Promise<Manifests> {
  const files = await findFiles(paths.filter((path) => path !== '-'));
  const parts = await Promise.all(files.map(readManifestFile));
  if (paths.includes('-')) parts.push(parseManifests(await readAll(terminal.stdin), '-'));
  return {
    manifests: parts.flatMap(({ manifests }) => manifests),
    broken: parts.flatMap(({ broken }) => broken),
    ignored: parts.reduce((sum, { ignored }) => sum + ignored, 0),
  };
}

async function judgeManifest(
  manifest: Manifest,
  namespace: string,
  world: World,
  signal: AbortSignal,
): Promise<ReportResult[]> {
  const { object, oldObject, operation, file, line } = manifest;
  const reference = identify(object);
  const home = reference.namespace || (CLUSTER_SCOPED.has(reference.kind) ? '' : namespace);
  const outcomes = await judgeObject({ object, oldObject, operation, namespace: home }, world, signal);
  return resultsOf(outcomes, { ...reference, namespace: home }, { file, line });
}

/** Judges in order of the manifests, a few at once; stops, with what there is, where the signal ends. */
async function judgeAll(
  manifests: readonly Manifest[],
  namespace: string,
  world: World,
  signal: AbortSignal,
): Promise<ReportResult[]> {
  const results: ReportResult[][] = [];
  let next = 0;
  const work = async () => {
    while (next < manifests.length && !signal.aborted) {
      const index = next++;
      results[index] = await judgeManifest(manifests[index]!, namespace, world, signal);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results.flat();
}

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

function exitCode(report: Report, failLevel: 'error' | 'warn' | 'never', failOnUnknown: boolean): number {
  const { fail, warn, error } = report.summary;
  if (report.results.some(({ rule }) => rule === 'broken-manifest')) return 1;
  if (failLevel !== 'never' && (fail > 0 || (failLevel === 'warn' && warn > 0))) return 2;
  return failOnUnknown && error > 0 ? 3 : 0;
}

export const report: Command = {
  name: 'report',
  summary: 'evaluates manifests as the webhook would, and changes nothing',
  help: HELP,
  run: async (args, terminal) => {
    const flags = readFlags(args, FLAGS, 0);
    const paths = flags.texts('filename');
    if (paths.length === 0)
      throw new UsageError("report needs -f PATH or -f -; see 'plimsoll report --help'");
    const isTerminal = terminal.stdout.isTTY === true;
    const format = formatNamed(flags.text('output') ?? (isTerminal ? 'table' : 'json'));
    if (!format)
      throw new UsageError(`--output has to be one of ${FORMATS.map(({ name }) => name).join(', ')}`);
    const failLevel = choice('fail-level', flags.text('fail-level') ?? 'error', ['error', 'warn', 'never']);
    const unknown = choice('unknown', flags.text('unknown') ?? 'ignore', ['ignore', 'fail']);
    const settings = await loadSettings(flags.text('config'));
    const density = offlineDensity(settings, wholeNumber('density', flags.text('density'), 0, 5000));

    const { manifests, broken, ignored } = await load(paths, terminal);
    const storage = storageFromObjects(
      manifests.map(({ object }) => object),
      'manifests',
    );
    const world = offlineWorld(settings, storage, density);
    const judged = await judgeAll(manifests, flags.text('namespace') ?? 'default', world, terminal.signal);
    const results = [...judged, ...broken.map(brokenResult)];
    const made: Report = {
      summary: summarize(results),
      results,
      density,
      curves: curvesOf(settings, density.pods),
      ignored,
    };
    terminal.stdout.write(
      format.render(made, {
        color: isTerminal && terminal.env.NO_COLOR === undefined,
        version: version(),
        at: new Date().toISOString(),
        width: isTerminal ? (terminal.stdout.columns ?? 80) : null,
      }),
    );
    // What was not looked at any more must not pass for clean.
    return terminal.signal.aborted ? 1 : exitCode(made, failLevel, unknown === 'fail');
  },
};
