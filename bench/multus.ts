// What the Multus daemon needs when all pods of a node start at once: its own daemon, in a memory cgroup.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { floorOf, multusCurves } from '../src/floor/curve.ts';
import { formatQuantity } from '../src/quantity/format.ts';
import { bytesOf, parseQuantity } from '../src/quantity/parse.ts';
import { type BurstResult, type Delegate, runBurst } from '../test/multus/burst.ts';
import { memoryCgroupFault } from '../test/multus/memory-cgroup.ts';
import { inOwnNamespaces, isInOwnNamespaces } from '../test/multus/namespaces.ts';
import { createPods, type NodePod, nodeOf, startApi } from '../test/multus/node.ts';
import { drawBursts } from './multus-picture.ts';

const HELP = `node bench/multus.ts [flags]: as root, where memory cgroups (v1) can be made
  --row PODS,DELEGATE,CONNECTIONLIMIT,LIMIT  (any number; without one the rows of docs/floors.md)
        DELEGATE: ptp, or the bytes that a stand-in for a bigger plugin holds, as 26Mi
        CONNECTIONLIMIT: a number or none
        LIMIT: of memory; a quantity, or floor for what the default curve gives at that density
  --hold 1000      milliseconds that the stand-in holds its memory
  --runs 1         of each row; the worst of them is printed
  --svg FILE       draws the rows
  -o table|json
`;

/** The rows of docs/floors.md. */
const ROWS = [
  ...['30', '90', '110', '250'].flatMap((pods) => [`${pods},ptp,none,50Mi`, `${pods},ptp,none,floor`]),
  '90,ptp,5,50Mi',
  '90,ptp,5,100Mi',
  '250,ptp,5,100Mi',
  '250,ptp,20,100Mi',
  '30,26Mi,none,floor',
  '90,26Mi,none,floor',
  '90,26Mi,5,floor',
  '90,26Mi,20,floor',
  '90,26Mi,20,800Mi',
];

const { values } = parseArgs({
  options: {
    row: { type: 'string', multiple: true, default: ROWS },
    hold: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '1' },
    svg: { type: 'string' },
    output: { type: 'string', short: 'o', default: 'table' },
    help: { type: 'boolean', default: false },
  },
});

interface Row {
  readonly density: number;
  readonly delegate: string;
  readonly connectionLimit: number | null;
  /** Bytes. */
  readonly limit: number;
}

type Measured = Row & BurstResult;

function rowOf(text: string): Row {
  const [pods, delegate, connections, limit] = text.split(',');
  if (pods === undefined || delegate === undefined || connections === undefined || limit === undefined)
    throw new Error(`--row ${text}: four parts are needed`);
  const density = Number(pods);
  return {
    density,
    delegate,
    connectionLimit: connections === 'none' ? null : Number(connections),
    limit: limit === 'floor' ? Number(floorOf(multusCurves.smallPlugins, density)) : bytes(limit),
  };
}

function bytes(text: string): number {
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.reason}`);
  return Number(bytesOf(parsed.quantity));
}

function delegateOf(text: string): Delegate {
  return text === 'ptp'
    ? { kind: 'ptp' }
    : { kind: 'sized', bytes: bytes(text), holdMilliseconds: Number(values.hold) };
}

/** The worst of both, figure by figure. */
function worse(one: BurstResult, other: BurstResult): BurstResult {
  return {
    anonymous: Math.max(one.anonymous, other.anonymous),
    workingSet: Math.max(one.workingSet, other.workingSet),
    failures: Math.max(one.failures, other.failures),
    kills: Math.max(one.kills, other.kills),
    seconds: Math.max(one.seconds, other.seconds),
    failure: one.failure ?? other.failure,
  };
}

async function measure(rows: readonly Row[]): Promise<Measured[]> {
  const cluster = await startApi();
  const podsOf = new Map<number, NodePod[]>();
  const measured: Measured[] = [];
  try {
    for (const row of rows) {
      const { density, limit, connectionLimit } = row;
      const node = await nodeOf(cluster, `node-${density}`);
      const pods = podsOf.get(density) ?? (await createPods(cluster, node.name, density));
      podsOf.set(density, pods);
      const burst = { delegate: delegateOf(row.delegate), limit, connectionLimit };
      let result = await runBurst(node, pods, burst);
      for (let run = 1; run < Number(values.runs); run++)
        result = worse(result, await runBurst(node, pods, burst));
      measured.push({ ...row, ...result });
      console.error(line({ ...row, ...result }));
    }
  } finally {
    await cluster.stop();
  }
  return measured;
}

const mib = (size: number) => Math.round(size / 1024 / 1024);

const COLUMNS: readonly (readonly [title: string, value: (row: Measured) => string | number])[] = [
  ['pods', ({ density }) => density],
  ['delegate', ({ delegate }) => delegate],
  ['connectionLimit', ({ connectionLimit }) => connectionLimit ?? '-'],
  ['limit', ({ limit }) => formatQuantity(BigInt(limit))],
  ['peak anonymous, MiB', ({ anonymous }) => mib(anonymous)],
  ['peak working set, MiB', ({ workingSet }) => mib(workingSet)],
  ['headroom', ({ limit, workingSet }) => `${Math.round(100 - (100 * workingSet) / limit)} %`],
  ['failed', ({ density, failures }) => (failures === 0 ? '-' : `${failures} of ${density}`)],
  ['killed', ({ kills }) => (kills === 0 ? '-' : kills)],
  ['seconds', ({ seconds }) => seconds.toFixed(1)],
];

const line = (row: Measured) => `| ${COLUMNS.map(([, value]) => value(row)).join(' | ')} |`;

function table(rows: readonly Measured[]): string {
  const titles = `| ${COLUMNS.map(([title]) => title).join(' | ')} |`;
  return [titles, `|${'---|'.repeat(COLUMNS.length)}`, ...rows.map(line)].join('\n');
}

if (values.help) console.log(HELP);
else if (!isInOwnNamespaces) {
  const fault = await memoryCgroupFault();
  if (fault !== null) throw new Error(fault);
  const { code, stdout } = await inOwnNamespaces([import.meta.filename, ...process.argv.slice(2)]);
  process.stdout.write(stdout);
  process.exitCode = code;
} else {
  const rows = await measure(values.row.map(rowOf));
  console.log(values.output === 'json' ? JSON.stringify(rows) : table(rows));
  if (values.svg !== undefined) await writeFile(values.svg, drawBursts(rows));
}
