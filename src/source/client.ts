import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { request as send } from 'undici';
import { Spending } from './budget.ts';
import { Dialler } from './dial.ts';
import { statusFailure, transportFailure } from './failures.ts';
import { type SourceContext, SourceError, type SourceRequest } from './source.ts';

/** An answer whose body has not been read. */
export interface Answer {
  /** What answered, after redirects. */
  readonly url: URL;
  readonly status: number;
  /** One value a name: a header that was sent twice has its values joined (RFC 9110, 5.3). */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Readable;
}

/** Headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>;

export interface Ask {
  readonly url: URL;
  /** Sent to whoever is asked. */
  readonly headers: Headers;
  /** Sent only where `url`'s origin is the one named: credentials, and whatever the user added. */
  readonly own?: { readonly origin: string; readonly headers: Headers };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** GET requests within one probe's budget and deadlines, to addresses that may be dialled. */
export class Client {
  readonly #context: SourceContext;
  readonly #dialler: Dialler;
  readonly spending: Spending;

  constructor(context: SourceContext, trust: Pick<SourceRequest, 'ca' | 'insecureSkipVerify'>) {
    this.#context = context;
    this.#dialler = new Dialler(context, trust);
    this.spending = new Spending(context.budget);
  }

  /** One GET, redirects not followed. Throws SourceError; a status is no error. */
  async get(ask: Ask): Promise<Answer> {
    const { signal, userAgent, idleTimeoutMs } = this.#context;
    await this.#dialler.admit(ask.url);
    this.spending.request();
    const own = ask.own?.origin === ask.url.origin ? ask.own.headers : {};
    try {
      const { statusCode, headers, body } = await send(ask.url, {
        dispatcher: this.#dialler.dispatcher,
        headers: { 'user-agent': userAgent, ...own, 'accept-encoding': 'identity', ...ask.headers },
        headersTimeout: idleTimeoutMs,
        bodyTimeout: idleTimeoutMs,
        signal,
      });
      // A body that is dropped unread ends in an error that nobody waits for.
      body.on('error', () => {});
      return { url: ask.url, status: statusCode, headers: single(headers), body };
    } catch (error) {
      throw transportFailure(error, signal);
    }
  }

  /** As `get`, and follows redirects: never from https to http, never with `own` to another origin. */
  async follow(ask: Ask): Promise<Answer> {
    let answer = await this.get(ask);
    for (let hops = 0; REDIRECTS.has(answer.status); hops++) {
      answer.body.destroy();
      if (hops >= this.#context.budget.maxRedirects) throw new SourceError('too-many-redirects');
      answer = await this.get({ ...ask, url: redirectTarget(answer) });
    }
    return answer;
  }

  /** As `follow`, and wants a 200 of at most `limit` bytes. */
  async document(ask: Ask, limit: number): Promise<{ answer: Answer; bytes: Uint8Array }> {
    const answer = await this.follow(ask);
    if (answer.status !== 200) {
      answer.body.destroy();
      throw statusFailure(answer.status);
    }
    const { bytes, ended } = await this.take(answer, limit + 1);
    if (!ended) throw new SourceError('bad-answer', 'too long');
    return { answer, bytes };
  }

  /** The first bytes of an answer, at most `limit`, and whether its body ended before that; then it is closed. */
  async take(answer: Answer, limit: number): Promise<{ bytes: Uint8Array; ended: boolean }> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of this.stream(answer)) {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= limit) break;
      }
    } finally {
      answer.body.destroy();
    }
    return { bytes: Buffer.concat(chunks, Math.min(length, limit)), ended: length < limit };
  }

  /** The bytes of an answer as they come. Throws SourceError, `over-budget` among them. */
  async *stream(answer: Answer): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
        this.spending.afford(1);
        this.spending.received(chunk.length);
        yield chunk;
      }
    } catch (error) {
      throw transportFailure(error, this.#context.signal);
    }
  }

  close(): void {
    this.#dialler.close();
  }
}

/** undici gives a list where a server repeats a header, even one of which there can be but one. */
function single(headers: IncomingHttpHeaders): Answer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

/** `text` as the URL of a file on a web server. Throws `bad-url`. */
export function webUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new SourceError('bad-url');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new SourceError('bad-url', 'scheme');
  if (url.username !== '' || url.password !== '') throw new SourceError('bad-url', 'user name in it');
  url.hostname = url.hostname.replace(/\.$/, '');
  url.hash = '';
  return url;
}

function redirectTarget(answer: Answer): URL {
  const { location } = answer.headers;
  if (location === undefined || !URL.canParse(location, answer.url.href))
    throw new SourceError('bad-answer', 'redirects nowhere');
  const target = webUrl(new URL(location, answer.url).href);
  if (answer.url.protocol === 'https:' && target.protocol === 'http:')
    throw new SourceError('not-permitted', 'redirects from https to http');
  return target;
}
