import { type HighWaterMarks, mergeHighWater } from '../density/high-water.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { countPods, type PodsByNode, readAllocatable } from './density.ts';
import { KubeError } from './failures.ts';
import type { Lease } from './lease.ts';
import { type CountedStatistic, readMarks, type StoredMarks, writeMarks } from './marks.ts';

interface Known {
  readonly marks: HighWaterMarks;
  /** Null until the marks are stored. */
  readonly epoch: string | null;
}

/**
 * The marks of this process: those that are stored, which all read and the leader alone counts and writes. Within an
 * epoch they never fall, whatever is read or counted.
 */
export class MarksKeeper {
  readonly #api: KubeApi;
  readonly #namespace: string;
  readonly #lease: Lease;
  readonly #known = new Map<CountedStatistic, Known>();
  #withoutHostNetwork = true;

  constructor(api: KubeApi, namespace: string, lease: Lease) {
    this.#api = api;
    this.#namespace = namespace;
    this.#lease = lease;
  }

  /** Null until they are known. */
  marks(statistic: CountedStatistic): HighWaterMarks | null {
    return this.#known.get(statistic)?.marks ?? null;
  }

  /** False where the last count of this process could not leave out pods of the host network. */
  get withoutHostNetwork(): boolean {
    return this.#withoutHostNetwork;
  }

  /** Reads the stored marks; the leader counts as well. Throws KubeError where the marks are as old as before. */
  async refresh(statistic: CountedStatistic, pass: Pass): Promise<void> {
    const stored = await readMarks(this.#api, this.#namespace, statistic, pass);
    if (stored !== null) this.#adopt(statistic, stored);
    if (await this.#lease.renew(pass)) await this.#count(statistic, stored, pass);
    else if (!this.#known.has(statistic))
      throw new KubeError('unavailable', { detail: 'no leader has counted the pods yet' });
  }

  async #count(statistic: CountedStatistic, stored: StoredMarks | null, pass: Pass): Promise<void> {
    const counted = await this.#countNow(statistic, pass);
    const known = this.#known.get(statistic);
    // Marks that were stored once are gone only where someone deleted them.
    const isReset = stored === null ? known !== undefined && known.epoch !== null : stored.isResetAsked;
    const marks = mergeHighWater((isReset ? null : known?.marks) ?? new Map(), counted);
    // What was counted holds here even where it cannot be stored.
    if (!isReset) this.#known.set(statistic, { marks, epoch: stored?.epoch ?? null });
    if (!this.#lease.isHeld()) throw new KubeError('timed-out', { detail: 'no longer the leader' });
    this.#adopt(statistic, await writeMarks(this.#api, this.#namespace, statistic, stored, marks, pass));
  }

  async #countNow(statistic: CountedStatistic, pass: Pass): Promise<PodsByNode> {
    if (statistic === 'allocatable') return readAllocatable(this.#api, pass);
    const { pods, withoutHostNetwork } = await countPods(this.#api, pass);
    this.#withoutHostNetwork = withoutHostNetwork;
    return pods;
  }

  #adopt(statistic: CountedStatistic, { marks, epoch }: StoredMarks): void {
    const known = this.#known.get(statistic);
    if (marks === null) {
      // A reset while another statistic was in force.
      if (known !== undefined && known.epoch !== epoch) this.#known.delete(statistic);
    } else {
      const isSame = known !== undefined && (known.epoch === null || known.epoch === epoch);
      this.#known.set(statistic, { epoch, marks: isSame ? mergeHighWater(known.marks, marks) : marks });
    }
  }
}
