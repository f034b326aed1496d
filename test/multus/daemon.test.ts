import { join } from 'node:path';
import t from 'tap';
import { memoryCgroupFault } from './memory-cgroup.ts';
import { inOwnNamespaces } from './namespaces.ts';

t.setTimeout(1_200_000);

const BENCH = join(import.meta.dirname, '../../bench/multus.ts');

interface Measured {
  readonly density: number;
  readonly limit: number;
  readonly failures: number;
  readonly kills: number;
  readonly workingSet: number;
}

/** By the rows of bench/multus.ts. */
const ROWS: readonly (readonly [name: string, row: string, holds: boolean])[] = [
  ['the floor for 30 pods', '30,ptp,none,floor', true],
  ['the limit of the upstream manifest, at 90 pods', '90,ptp,none,50Mi', false],
  ['the floor for 90 pods', '90,ptp,none,floor', true],
  ['the floor for 110 pods', '110,ptp,none,floor', true],
  ['the floor for 250 pods', '250,ptp,none,floor', true],
  ['connectionLimit 5, with the floor for 10 pods, at 250 pods', '250,ptp,5,100Mi', true],
  ['the floor for 90 pods, with a delegate of 26 MiB', '90,26Mi,none,floor', false],
  ['the same, with connectionLimit 5', '90,26Mi,5,floor', true],
];

/** Null where they can be run. */
async function fault(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'it needs root, for network namespaces and cgroups';
  const cgroups = await memoryCgroupFault();
  if (cgroups !== null) return cgroups;
  const { code } = await inOwnNamespaces(['-e', '']).catch(() => ({ code: -1 }));
  return code === 0 ? null : 'no network and mount namespaces can be made';
}

const skip = (await fault()) ?? false;

t.test('all pods of a node start at once, with Multus’ own daemon', { skip }, async (t) => {
  const rows = ROWS.flatMap(([, row]) => ['--row', row]);
  const { code, stdout } = await inOwnNamespaces([BENCH, '-o', 'json', ...rows]);
  t.equal(code, 0);
  const measured: readonly Measured[] = JSON.parse(stdout);
  t.equal(measured.length, ROWS.length);
  for (const [index, [name, row, holds]] of ROWS.entries()) {
    const { failures, kills, workingSet, limit } = measured[index]!;
    const figures = `${row}: ${failures} failed, ${kills} killed, ${workingSet} of ${limit} bytes`;
    t.equal(
      failures === 0 && kills === 0,
      holds,
      `${name}: ${holds ? 'no ADD fails' : 'ADDs fail'} (${figures})`,
    );
  }
});
