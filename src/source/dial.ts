import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { getCACertificates } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { permits, permitsByName, plainHost } from './addresses.ts';
import { transportFailure } from './failures.ts';
import { type SourceContext, SourceError, type SourceRequest } from './source.ts';

type Trust = Pick<SourceRequest, 'ca' | 'insecureSkipVerify'>;

/**
 * Connections to addresses that were checked, and to no others: a name is resolved once, every answer is
 * checked, and the answers are what is dialled, however often the name is used.
 */
export class Dialler {
  readonly dispatcher: Dispatcher;
  readonly #context: SourceContext;
  readonly #answers = new Map<string, readonly string[]>();

  constructor(context: SourceContext, trust: Trust) {
    this.#context = context;
    const tls = {
      rejectUnauthorized: trust.insecureSkipVerify !== true,
      // Node replaces its own list by a given one.
      ...(trust.ca === undefined ? {} : { ca: [...getCACertificates('default'), trust.ca] }),
    };
    // One connection to an origin: a probe reads one range after the other.
    const options = { connectTimeout: context.connectTimeoutMs, allowH2: false, connections: 1 };
    this.dispatcher =
      context.proxy === undefined
        ? new Agent({
            ...options,
            connect: { ...tls, timeout: context.connectTimeoutMs, lookup: this.#lookup, allowH2: false },
          })
        : new ProxyAgent({ ...options, uri: proxyUrl(context.proxy), requestTls: tls });
  }

  /** Checks where `url` leads, before anything is sent there. Throws `not-permitted`, `unreachable`, `timed-out`. */
  async admit(url: URL): Promise<void> {
    const { addresses, proxy } = this.#context;
    const host = plainHost(url.hostname);
    const port = portOf(url);
    const permitted =
      proxy !== undefined || isIP(host) !== 0
        ? permitsByName(addresses, host, port)
        : (await this.#resolve(host)).every((address) => permits(addresses, host, port, address));
    if (!permitted) throw new SourceError('not-permitted');
  }

  close(): void {
    void this.dispatcher.destroy();
  }

  async #resolve(host: string): Promise<readonly string[]> {
    const known = this.#answers.get(host);
    if (known !== undefined) return known;
    const answers = await this.#inTime(this.#context.resolve(host));
    if (answers.length === 0) throw new SourceError('unreachable');
    this.#answers.set(host, answers);
    return answers;
  }

  /** A resolver that hangs costs one connection's time, as a server that does not accept one. */
  async #inTime<T>(waiting: Promise<T>): Promise<T> {
    const { signal, connectTimeoutMs } = this.#context;
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const end = () => reject(new SourceError('timed-out'));
    const timer = setTimeout(end, connectTimeoutMs);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    try {
      return await Promise.race([waiting, ended]);
    } catch (error) {
      throw transportFailure(error, signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }

  /** Answers from what was checked, and never asks a resolver. */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    const found = (this.#answers.get(plainHost(hostname)) ?? []).map((address) => ({
      address,
      family: isIP(address),
    }));
    const [first] = found;
    if (first === undefined) callback(new SourceError('not-permitted'), []);
    else if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  };
}

function proxyUrl(text: string): string {
  if (!URL.canParse(text)) throw new SourceError('unreachable', 'its proxy');
  return text;
}

/** The port that `url`, http or https, is served at. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}
