import type { Settings } from '../config/settings.ts';
import type { OpenSource, SourceContext } from '../source/source.ts';
import type { LookOptions } from './look.ts';

/** The parts of a look's world that no configuration decides. */
export interface Outside {
  readonly open: OpenSource;
  readonly resolve: SourceContext['resolve'];
  readonly now: () => number;
  readonly version: string;
  readonly observe?: LookOptions['observe'];
}

/** How the configuration wants images looked at. */
export function lookOptionsOf(
  { configuration: { probe }, maxBytes, registryMaxBytes, proxyFor }: Settings,
  outside: Outside,
): LookOptions {
  const { addresses, cache } = probe;
  return {
    open: outside.open,
    enabled: addresses.mode !== 'off',
    context: {
      addresses: { mode: addresses.mode === 'off' ? 'allowlist' : addresses.mode, allow: addresses.allow },
      budget: { maxRequests: probe.maxRequests, maxBytes, maxRedirects: probe.maxRedirects },
      userAgent: `plimsoll/${outside.version}`,
      connectTimeoutMs: probe.connectTimeoutMilliseconds,
      idleTimeoutMs: probe.idleTimeoutMilliseconds,
      resolve: outside.resolve,
    },
    registryMaxBytes,
    proxyFor,
    timeoutMs: probe.timeoutMilliseconds,
    limits: { all: probe.concurrency, perKey: probe.concurrencyPerHost, queue: probe.queue },
    cache: {
      entries: cache.entries,
      ttlMs: cache.ttlSeconds * 1000,
      failureTtlMs: cache.failureTtlSeconds * 1000,
    },
    now: outside.now,
    ...(outside.observe ? { observe: outside.observe } : {}),
  };
}
