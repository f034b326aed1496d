import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** Where the memory controller of cgroup v1 is. */
const ROOT = '/sys/fs/cgroup/memory';

/** Bytes. */
export interface Peaks {
  /** Memory of the processes themselves. */
  readonly anonymous: number;
  /** With the part of the page cache that is in use: what the kubelet calls working set. */
  readonly workingSet: number;
}

export interface MemoryCgroup {
  /** The file that a process is put into the cgroup by. */
  readonly procsFile: string;
  /** What was seen at most, by samples. */
  readonly peaks: () => Peaks;
  /** Processes that the kernel killed for want of memory. */
  readonly kills: () => Promise<number>;
  readonly pids: () => Promise<readonly number[]>;
  /** Kills what still runs in it. */
  readonly remove: () => Promise<void>;
}

/** Between two samples; the kernel keeps a peak only of what includes all of the page cache. */
const SAMPLE_MS = 20;

/** Why no memory cgroup can be made here; null where one can. */
export async function memoryCgroupFault(): Promise<string | null> {
  const probe = join(ROOT, `plimsoll-probe-${process.pid}`);
  try {
    await mkdir(probe);
  } catch (error) {
    return `no memory cgroup (v1) can be made in ${ROOT}: ${(error as NodeJS.ErrnoException).code}`;
  }
  try {
    await writeFile(join(probe, 'memory.limit_in_bytes'), '104857600');
    return null;
  } catch (error) {
    return `a memory cgroup takes no limit: ${(error as NodeJS.ErrnoException).code}`;
  } finally {
    await rmdir(probe);
  }
}

/** A cgroup with that limit in bytes, which is sampled until it is removed. */
export async function createMemoryCgroup(name: string, limit: number): Promise<MemoryCgroup> {
  const folder = join(ROOT, name);
  await mkdir(folder);
  await writeFile(join(folder, 'memory.limit_in_bytes'), String(limit));
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  let peaks: Peaks = { anonymous: 0, workingSet: 0 };
  let isRemoved = false;

  const sample = async () => {
    const [usage, stat] = await Promise.all([read('memory.usage_in_bytes'), read('memory.stat')]);
    const anonymous = field(stat, 'total_rss');
    const workingSet = Number(usage) - field(stat, 'total_inactive_file');
    peaks = {
      anonymous: Math.max(peaks.anonymous, anonymous),
      workingSet: Math.max(peaks.workingSet, workingSet),
    };
  };
  const sampling = (async () => {
    while (!isRemoved) {
      await sample();
      await setTimeout(SAMPLE_MS);
    }
  })();
  const pids = async () => (await read('cgroup.procs')).split('\n').filter(Boolean).map(Number);

  return {
    procsFile: join(folder, 'cgroup.procs'),
    peaks: () => peaks,
    kills: async () => field(await read('memory.oom_control'), 'oom_kill'),
    pids,
    remove: async () => {
      isRemoved = true;
      await sampling;
      for (let left = await pids(); left.length > 0; left = await pids()) {
        for (const pid of left) kill(pid);
        await setTimeout(SAMPLE_MS);
      }
      await rmdir(folder);
    },
  };
}

/** The number after that word at the start of a line; 0 where there is none. */
function field(text: string, name: string): number {
  const line = text.split('\n').find((line) => line.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
