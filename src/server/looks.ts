import type { Metrics } from '../admission/metrics.ts';
import type { Settings } from '../config/settings.ts';
import { createLook, type LookAt } from '../evaluate/look.ts';
import { lookOptionsOf } from '../evaluate/look-options.ts';
import { resolveAll } from '../source/resolve.ts';
import { openSource } from '../source/sources.ts';

/** How images are looked at, made anew when the configuration changes: a cache must not outlive its rules. */
export class Looks {
  readonly #version: string;
  readonly #metrics: Metrics;
  #made: { readonly settings: Settings; readonly look: LookAt } | null = null;

  constructor(version: string, metrics: Metrics) {
    this.#version = version;
    this.#metrics = metrics;
  }

  under(settings: Settings): LookAt {
    if (this.#made?.settings !== settings) this.#made = { settings, look: this.#make(settings) };
    return this.#made.look;
  }

  #make(settings: Settings): LookAt {
    const { looks, lookBytes } = this.#metrics;
    return createLook(
      lookOptionsOf(settings, {
        open: openSource,
        resolve: resolveAll,
        now: Date.now,
        version: this.#version,
        observe: (outcome, { bytesRead }) => {
          looks.inc({ outcome });
          lookBytes.inc(bytesRead);
        },
      }),
    );
  }
}
