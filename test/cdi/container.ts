import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A folder of this machine, and where the program finds it. */
export interface Mount {
  readonly from: string;
  readonly at: string;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * CDI's programs use fixed paths: /data, /scratch, /dev/termination-log, /var/run/cdi, sockets in /tmp. This gives them
 * those without touching the machine's own, and several of them may run at once. Everything that they write is in memory
 * and ends with them; the 8 TiB are a bound, not a reservation.
 */
const SCRIPT = `
set -e
root=/mnt
mount -t tmpfs -o size=8t none "$root"
for entry in /*; do
  case "$entry" in /data|/scratch|/dev|/mnt|/proc|/run|/tmp) continue ;; esac
  if [ -L "$entry" ]; then cp -P "$entry" "$root$entry"
  elif [ -d "$entry" ]; then mkdir "$root$entry"; mount --rbind "$entry" "$root$entry"
  fi
done
mkdir "$root/data" "$root/scratch" "$root/dev" "$root/proc" "$root/run" "$root/tmp"
mount -t proc proc "$root/proc"
for device in full null random urandom zero; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
touch "$root/dev/termination-log"
while [ "$1" != -- ]; do
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
  shift 2
done
shift
exec chroot "$root" "$@"
`;

/** The command that runs a program as in its container; it ends, with all that it started, when it is killed. */
export function inContainer(program: Command, mounts: readonly Mount[] = []): Command {
  requireTool('unshare', 'util-linux');
  return {
    file: 'unshare',
    args: [
      // Who is not root becomes it, in a namespace of its own.
      ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      'sh',
      '-c',
      SCRIPT,
      'container',
      ...mounts.flatMap(({ from, at }) => [from, at]),
      '--',
      program.file,
      ...program.args,
    ],
  };
}

/** Throws, naming the Debian package, where a program is missing. */
export function requireTool(name: string, debianPackage: string): void {
  const folders = `${process.env.PATH ?? ''}${delimiter}/usr/sbin${delimiter}/sbin`.split(delimiter);
  if (folders.some((folder) => existsSync(join(folder, name)))) return;
  throw new Error(`${name} is missing: apt-get install ${debianPackage}`);
}
