import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Order } from './guard.ts';

let guard: NodeJS.WritableStream | null = null;

/** Kills that process once this one has ended, however it ended; call the answer when it is gone by then. */
export function killAtEnd(pid: number): () => void {
  tell({ leftover: pid, is: 'there' });
  // Its pid may soon be that of another.
  return () => tell({ leftover: pid, is: 'gone' });
}

/** Removes that folder once this process has ended, however it ended; call the answer when it is gone by then. */
export function removeAtEnd(folder: string): () => void {
  tell({ leftover: folder, is: 'there' });
  return () => tell({ leftover: folder, is: 'gone' });
}

function tell(order: Order): void {
  guard ??= startGuard();
  guard.write(`${JSON.stringify(order)}\n`);
}

/** A process of its own, because one that is killed cannot tidy up; it ends after this one. */
function startGuard(): NodeJS.WritableStream {
  const file = fileURLToPath(new URL('./guard.ts', import.meta.url));
  // Detached, so that Ctrl-C in a terminal does not reach it.
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  // Nor does the pipe to it keep this process.
  (child.stdin as Socket).unref();
  return child.stdin;
}
