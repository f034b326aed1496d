// What a report over many DataVolumes costs beside JSON.parse of the same text, and what memory it needs. Images are
// looked at in a stub: what a network takes is no part of it. Each input is measured in a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseManifests } from '../src/cli/manifests.ts';
import { makeReport } from '../src/cli/report/making.ts';
import { manifestWorld, offlineDensity } from '../src/cli/world.ts';
import { loadSettings } from '../src/config/load.ts';
import type { Settings } from '../src/config/settings.ts';
import type { World } from '../src/evaluate/world.ts';
import type { ImageLook } from '../src/policy/image-look.ts';
import { formatNamed } from '../src/report/formats.ts';

const VOLUMES = Number(process.env.BENCH_VOLUMES ?? 10_000);
const IMAGES = 500;
const RUNS = 9;
/** Times JSON.parse. */
const TARGET = 2;

const MIB = 1024 * 1024;
const cpuMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const fields = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
const managed = (manager: string, fieldsV1: object, subresource?: string) => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  manager,
  operation: 'Update',
  ...(subresource === undefined ? {} : { subresource }),
  time: '2026-11-20T10:12:12Z',
});
const MANAGED_FIELDS = [
  managed('kubectl-create', {
    'f:metadata': {
      'f:annotations': { '.': {}, ...fields('cdi.kubevirt.io/storage.bind.immediate.requested') },
      'f:labels': { '.': {}, ...fields('app.kubernetes.io/part-of', 'example.com/team') },
    },
    'f:spec': {
      '.': {},
      'f:source': { '.': {}, 'f:http': { '.': {}, ...fields('url') } },
      'f:storage': {
        '.': {},
        'f:resources': { '.': {}, 'f:requests': { '.': {}, ...fields('storage') } },
        ...fields('storageClassName'),
      },
    },
  }),
  managed('cdi-controller', {
    'f:metadata': { 'f:annotations': fields('cdi.kubevirt.io/storage.usePopulator') },
  }),
  managed(
    'cdi-controller',
    { 'f:status': { '.': {}, ...fields('claimName', 'conditions', 'phase', 'progress') } },
    'status',
  ),
];

/** As it is stored once CDI is done with it; of ten one is too large, and one too small. */
function dataVolume(index: number, managedFields: readonly object[] | undefined): object {
  const name = `volume-${index}`;
  const team = `team-${index % 40}`;
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: {
      annotations: {
        'cdi.kubevirt.io/storage.bind.immediate.requested': 'true',
        'cdi.kubevirt.io/storage.usePopulator': 'true',
      },
      creationTimestamp: '2026-11-20T10:11:12Z',
      generation: 1,
      labels: { 'app.kubernetes.io/part-of': 'golden-images', 'example.com/team': team },
      managedFields,
      name,
      namespace: team,
      resourceVersion: String(100_000 + index),
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    },
    spec: {
      source: { http: { url: `https://images.example.com/image-${index % IMAGES}.qcow2` } },
      storage: {
        resources: { requests: { storage: ['30Gi', '5Gi'][index % 10] ?? '10Gi' } },
        storageClassName: 'fast',
      },
    },
    status: {
      claimName: name,
      conditions: ['Bound', 'Ready', 'Running'].map((type) => ({
        lastHeartbeatTime: '2026-11-20T10:12:12Z',
        lastTransitionTime: '2026-11-20T10:12:12Z',
        message: type === 'Bound' ? `PVC ${name} Bound` : 'Import Complete',
        reason: type === 'Bound' ? 'Bound' : 'Completed',
        status: type === 'Running' ? 'False' : 'True',
        type,
      })),
      phase: 'Succeeded',
      progress: '100.0%',
    },
  };
}

const INPUTS = {
  'as the API server sends it': () => listOf(MANAGED_FIELDS, 0),
  'as kubectl prints it': () => listOf(undefined, 4),
} as const;
type Input = keyof typeof INPUTS;

function listOf(managedFields: readonly object[] | undefined, indent: number): string {
  const items = Array.from({ length: VOLUMES }, (_, index) => dataVolume(index, managedFields));
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, indent);
}

const FEDORA: ImageLook = {
  kind: 'image',
  facts: {
    format: 'qcow2',
    wrappers: [],
    virtualSize: 10n << 30n,
    virtualSizeAtLeast: null,
    allocatedSize: null,
    defects: [],
  },
  storedSize: 1_100_000_000n,
};

/** All that `plimsoll report -f FILE -o json` does, between the text of the file and the text that it prints. */
async function report(text: string, settings: Settings): Promise<string> {
  const { manifests, broken, ignored } = parseManifests(text, 'volumes.json');
  const facts = manifestWorld(
    manifests.map(({ object }) => object),
    offlineDensity(settings),
  );
  const world: World = { ...facts, settings, look: async () => FEDORA, now: 0 };
  const { signal } = new AbortController();
  const judging = { namespace: 'default', world, signal, onJudged: () => {} };
  const made = await makeReport({ subjects: manifests, broken, ignored }, judging);
  if (made.summary.fail !== VOLUMES / 5) throw new Error(`${made.summary.fail} volumes failed`);
  const options = { color: false, version: '0', at: '2026-11-30T00:00:00Z', width: null };
  return formatNamed('json')!.render(made, options);
}

interface Costs {
  /** CPU of each run, the first one first. */
  readonly parse: readonly number[];
  readonly report: readonly number[];
  /** MiB at the peak, after the first report and after the last. */
  readonly rss: readonly [first: number, last: number];
  readonly megabytes: number;
}

async function measure(input: Input): Promise<Costs> {
  const text = INPUTS[input]();
  const settings = await loadSettings(undefined);
  const costOf = async (run: () => unknown) => {
    globalThis.gc?.();
    const before = process.cpuUsage();
    await run();
    return cpuMs(process.cpuUsage(before));
  };
  const peak = () => (process.resourceUsage().maxRSS * 1024) / MIB;
  const parse: number[] = [];
  const reports: number[] = [];
  let first = 0;
  for (let run = 0; run < RUNS; run++) {
    parse.push(await costOf(() => JSON.parse(text)));
    reports.push(await costOf(() => report(text, settings)));
    if (run === 0) first = peak();
  }
  return { parse, report: reports, rss: [first, peak()], megabytes: text.length / 1e6 };
}

const asked = process.argv[2] as Input | undefined;
if (asked !== undefined) process.send?.(await measure(asked));
else {
  console.log(`${VOLUMES} DataVolumes over ${IMAGES} images, CPU time, ${RUNS} runs in one process`);
  for (const input of Object.keys(INPUTS)) {
    const child = fork(import.meta.filename, [input], { execArgv: [...process.execArgv, '--expose-gc'] });
    const [costs] = (await once(child, 'message')) as [Costs];
    const [first, warm] = [costs.report[0]! / costs.parse[0]!, median(costs.report) / median(costs.parse)];
    const ms = (numbers: readonly number[]) =>
      `first ${numbers[0]!.toFixed(0).padStart(5)} ms, median ${median(numbers).toFixed(0).padStart(5)} ms`;
    console.log(`${input}: ${costs.megabytes.toFixed(1)} MB`);
    console.log(`  JSON.parse  ${ms(costs.parse)}`);
    console.log(
      `  report      ${ms(costs.report)}: ${first.toFixed(1)} and ${warm.toFixed(1)} times (target ${TARGET})`,
    );
    console.log(
      `  RSS         ${costs.rss.map((mib) => `${mib.toFixed(0)} MiB`).join(' after the first, ')} after the last`,
    );
  }
}
