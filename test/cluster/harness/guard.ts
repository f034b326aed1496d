// Started by leftovers.ts. Its input ends with the process that started it, whatever ended that;
// then it kills and removes what it was told of and what is not gone yet.
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';

export interface Order {
  /** A pid, or the path of a folder. */
  readonly leftover: number | string;
  readonly is: 'there' | 'gone';
}

const leftovers = new Set<number | string>();

for await (const line of createInterface({ input: process.stdin })) {
  const { leftover, is }: Order = JSON.parse(line);
  if (is === 'there') leftovers.add(leftover);
  else leftovers.delete(leftover);
}

for (const pid of leftovers) if (typeof pid === 'number') kill(pid);
for (const folder of leftovers) {
  // Who was killed just now may still be writing.
  if (typeof folder === 'string') await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
