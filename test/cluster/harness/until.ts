import { setTimeout } from 'node:timers/promises';

/** Asks again and again until it holds; throws, saying what was waited for, where it takes too long. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await setTimeout(100);
  }
}
