import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Set for a program that runs in namespaces of its own. */
const INSIDE = 'PLIMSOLL_OWN_NAMESPACES';

export const isInOwnNamespaces = process.env[INSIDE] === '1';

/** The program's own network has only its loopback, and its /run is empty, so that nothing of it is left on the machine. */
const PREPARE = 'ip link set lo up && mount -t tmpfs tmpfs /run && exec "$0" "$@"';

/**
 * Runs Node with these arguments in a network and a mount namespace of its own, and with this process' standard error.
 * The answer is its exit code and standard output.
 */
export async function inOwnNamespaces(
  args: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string }> {
  const child = spawn(
    'unshare',
    ['--net', '--mount', '--propagation=private', 'sh', '-c', PREPARE, process.execPath, ...args],
    { env: { ...process.env, [INSIDE]: '1' }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const code = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit) => resolve(exit ?? -1));
  });
  const [stdout, exit] = await Promise.all([text(child.stdout), code]);
  return { code: exit, stdout };
}
