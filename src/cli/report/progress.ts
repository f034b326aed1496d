import type { Terminal } from '../command.ts';

/** Milliseconds between two updates: what changes faster cannot be read. */
const INTERVAL_MS = 100;

export interface Progress {
  readonly judged: (done: number) => void;
  readonly looked: () => void;
  readonly end: () => void;
}

const SILENT: Progress = { judged: () => {}, looked: () => {}, end: () => {} };

/** A line on standard error that says how far the work is; nothing where that is no terminal. */
export function showProgress({ stderr }: Terminal, total: number, now: () => number): Progress {
  if (stderr.isTTY !== true) return SILENT;
  let objects = 0;
  let images = 0;
  let shownAt = Number.NEGATIVE_INFINITY;
  const show = () => {
    if (now() - shownAt < INTERVAL_MS) return;
    shownAt = now();
    stderr.write(`\r\u001b[K${objects} of ${total} objects judged, ${images} images looked at`);
  };
  return {
    judged: (done) => {
      objects = done;
      show();
    },
    looked: () => {
      images += 1;
      show();
    },
    end: () => {
      stderr.write('\r\u001b[K');
    },
  };
}
