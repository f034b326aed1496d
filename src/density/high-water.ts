/** By node name: the most pods needing CNI that were ever seen on it (or, for `allocatable`, the most it ever offered). */
export type HighWaterMarks = ReadonlyMap<string, number>;

/** Far above what any kubelet is run with; what is over it is a fault of whoever counted. */
const MAX_PODS_OF_A_NODE = 10_000;

/** An RFC 1123 subdomain, which is what a node is called. */
const NODE_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/**
 * The higher of both by node. A node that was not counted keeps its mark, so neither a drained cluster nor a partial
 * count lowers one.
 */
export function mergeHighWater(marks: HighWaterMarks, counted: HighWaterMarks): HighWaterMarks {
  const merged = new Map(marks);
  for (const [node, pods] of counted) {
    if (isMark(node, pods) && pods > (merged.get(node) ?? -1)) merged.set(node, pods);
  }
  return merged;
}

/** The highest mark; 0 where there is none. */
export function highestMark(marks: HighWaterMarks): number {
  let highest = 0;
  for (const pods of marks.values()) if (pods > highest) highest = pods;
  return highest;
}

/** Whether it can be the mark of a node. */
export function isMark(node: string, pods: unknown): pods is number {
  return (
    NODE_NAME.test(node) &&
    Number.isInteger(pods) &&
    (pods as number) >= 0 &&
    (pods as number) <= MAX_PODS_OF_A_NODE
  );
}
