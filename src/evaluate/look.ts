import { OutOfBoundsError } from '../bytes/view.ts';
import { readImage } from '../image/read.ts';
import type { ImageLook } from '../policy/image-look.ts';
import { type OpenSource, type SourceContext, SourceError, type SourceRequest } from '../source/source.ts';
import type { ImportSource } from '../volume/volume.ts';
import { FlightCache } from './cache.ts';
import { driveReading } from './drive.ts';
import { Limiter } from './limiter.ts';

/** Looks at the image of a source, and answers by the time `signal` ends. Throws only what is a defect of our own. */
export type LookAt = (source: ImportSource, signal: AbortSignal) => Promise<ImageLook>;

export interface LookOptions {
  readonly open: OpenSource;
  /** Everything of a source's world but the deadline, which each look sets itself. */
  readonly context: Omit<SourceContext, 'signal' | 'proxy'>;
  /** Bytes, in place of the budget's, for container disks: their layers have to be unpacked. */
  readonly registryMaxBytes: number;
  /** The proxy by which a URL is reached; undefined: none. */
  readonly proxyFor: (url: string) => string | undefined;
  /** Whether images may be looked at at all. */
  readonly enabled: boolean;
  /** Whether a look's deadline begins when its turn comes, as a report wants it, and not when it is asked for. */
  readonly isPatient?: boolean;
  /** Milliseconds for one look, whoever waits for it. */
  readonly timeoutMs: number;
  readonly limits: { readonly all: number; readonly perKey: number; readonly queue: number };
  readonly cache: { readonly entries: number; readonly ttlMs: number; readonly failureTtlMs: number };
  readonly now: () => number;
  /** Told of each image that was really looked at: `ok` or a coded failure, and what it cost. */
  readonly observe?: (
    outcome: string,
    cost: { readonly bytesRead: number; readonly requests: number },
  ) => void;
}

type UnknownLook = Extract<ImageLook, { kind: 'unknown' }>;

const NEVER = new AbortController().signal;

const TIMED_OUT: UnknownLook = {
  kind: 'unknown',
  code: 'timed-out',
  detail: 'its server did not answer in time',
};
const BUSY: UnknownLook = { kind: 'unknown', code: 'busy', detail: 'too many images are being looked at' };
const DISABLED: UnknownLook = {
  kind: 'unknown',
  code: 'disabled',
  detail: 'looking at images is switched off',
};

/** `Name: value` lines of spec.source.http.extraHeaders; a line without a colon is no header. */
function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]] : [];
    }),
  );
}

function requestOf(source: ImportSource): SourceRequest {
  return {
    kind: source.kind,
    url: source.url,
    headers: headersOf(source.extraHeaders),
    insecureSkipVerify: source.insecureSkipVerify,
    ...(source.architecture === null ? {} : { architecture: source.architecture }),
  };
}

function contextFor(
  { kind, url }: ImportSource,
  { context, registryMaxBytes, proxyFor }: LookOptions,
  signal: AbortSignal,
): SourceContext {
  const budget = kind === 'registry' ? { ...context.budget, maxBytes: registryMaxBytes } : context.budget;
  const proxy = proxyFor(url);
  return { ...context, budget, signal, ...(proxy === undefined ? {} : { proxy }) };
}

/** What has to be equal for two looks to see the same: the URL and all that is sent with it. */
function keyOf(source: ImportSource): string {
  return JSON.stringify([
    source.kind,
    source.url,
    source.architecture,
    source.extraHeaders,
    source.insecureSkipVerify,
  ]);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

async function lookOnce(
  request: SourceRequest,
  context: SourceContext,
  options: LookOptions,
): Promise<ImageLook> {
  try {
    const bytes = await options.open(request, context);
    try {
      const facts = await driveReading(
        readImage({ storedSize: bytes.size, map: false, peel: request.kind !== 'registry' }),
        bytes,
      );
      options.observe?.('ok', bytes.cost);
      return { kind: 'image', facts, storedSize: bytes.size };
    } finally {
      bytes.close();
    }
  } catch (error) {
    const failure = toUnknown(error, context.signal);
    options.observe?.(failure.code, { bytesRead: 0, requests: 0 });
    return failure;
  }
}

function toUnknown(error: unknown, signal: AbortSignal): UnknownLook {
  if (error instanceof SourceError) return { kind: 'unknown', code: error.code, detail: error.message };
  if (signal.aborted) return TIMED_OUT;
  if (error instanceof OutOfBoundsError)
    return { kind: 'unknown', code: 'bad-answer', detail: 'its headers point outside of it' };
  throw error;
}

/** The signal's end as a value. */
function ended(signal: AbortSignal): { promise: Promise<'ended'>; stop: () => void } {
  let stop = () => {};
  const promise = new Promise<'ended'>((resolve) => {
    if (signal.aborted) resolve('ended');
    const end = () => resolve('ended');
    signal.addEventListener('abort', end, { once: true });
    stop = () => signal.removeEventListener('abort', end);
  });
  return { promise, stop };
}

/**
 * A look with its cache, its caps and its deadlines. A look that outlives its first asker's deadline goes on to its own,
 * so that the next asker finds the answer.
 */
export function createLook(options: LookOptions): LookAt {
  const cache = new FlightCache<ImageLook>(options.cache.entries, options.now);
  const limiter = new Limiter(options.limits);
  const keepFor = (look: ImageLook) => {
    if (look.kind === 'image') return options.cache.ttlMs;
    return look.code === 'busy' ? 0 : options.cache.failureTtlMs;
  };

  return async (source, signal) => {
    if (!options.enabled) return DISABLED;
    if (source.unsupported !== null)
      return { kind: 'unknown', code: 'unsupported', detail: source.unsupported };
    const key = keyOf(source);
    const known = cache.peek(key);
    if (known) return known;
    const look = async () => {
      const waiting = options.isPatient ? NEVER : AbortSignal.timeout(options.timeoutMs);
      const result = await limiter.run(hostOf(source.url), waiting, () => {
        const own = options.isPatient ? AbortSignal.timeout(options.timeoutMs) : waiting;
        return lookOnce(requestOf(source), contextFor(source, options, own), options);
      });
      return result === 'busy' ? BUSY : result;
    };
    const deadline = ended(signal);
    try {
      const result = await Promise.race([cache.get(key, look, keepFor), deadline.promise]);
      return result === 'ended' ? TIMED_OUT : result;
    } finally {
      deadline.stop();
    }
  };
}
