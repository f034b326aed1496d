import type { ByteRange } from '../bytes/range.ts';
import type { ByteSource } from '../bytes/source.ts';
import { Blocks } from './blocks.ts';
import { type Answer, type Ask, Client, type Headers, webUrl } from './client.ts';
import { parseContentLength, parseContentRange } from './content-range.ts';
import { statusFailure } from './failures.ts';
import { ownHeaders } from './own-headers.ts';
import { type OpenSource, SourceError } from './source.ts';

/** Bytes of the first request, and the unit of later ones: the header of every format is within them. */
const BLOCK = 65536;

/**
 * A file on a web server. Opening it costs one request where the server knows ranges: a GET of its first
 * 64 KiB, never a HEAD, which presigned URLs and several registries refuse.
 */
export const openHttp: OpenSource = async (request, context) => {
  const url = webUrl(request.url);
  const client = new Client(context, request);
  try {
    return await openWith(client, {
      url,
      headers: {},
      own: { origin: url.origin, headers: ownHeaders(request) },
    });
  } catch (error) {
    client.close();
    throw error;
  }
};

async function openWith(client: Client, ask: Ask): Promise<ByteSource> {
  client.spending.afford(1);
  const wanted = Math.min(BLOCK, client.spending.bytesLeft);
  const ranged = { ...ask, headers: { ...ask.headers, range: `bytes=0-${wanted - 1}` } };
  let answer = await client.follow(ranged);
  if (answer.status === 416) {
    // Nothing to satisfy the range: the file is empty, or its server knows no ranges this long.
    answer.body.destroy();
    answer = await client.get({ ...ask, url: answer.url });
    if (answer.status === 206) throw abandoned(answer, new SourceError('bad-answer'));
  }
  if (answer.status !== 200 && answer.status !== 206) throw abandoned(answer, statusFailure(answer.status));
  const encoding = encodingOf(answer.headers);
  if (encoding === 'other') throw abandoned(answer, new SourceError('bad-answer', 'content encoding'));
  const opened =
    answer.status === 206 ? await partial(client, answer, wanted) : await whole(client, answer, wanted);
  if (isHtml(answer.headers, opened.prefix)) throw new SourceError('not-an-image', 'a web page');
  // Under a name that is not its own the encoded form is not the file: its length says nothing about that.
  const size = encoding === 'gzip' && !/\.(gz|tgz)$/i.test(ask.url.pathname) ? null : opened.total;
  return new HttpSource(client, ask, answer, opened, size);
}

interface Opened {
  readonly prefix: Uint8Array;
  /** Length of what is served, in bytes. */
  readonly total: bigint | null;
  /** Whether the server has shown that it serves ranges. */
  readonly ranges: boolean;
}

/** A 206: its Content-Range is the proof that ranges work, and is checked against what was asked and what came. */
async function partial(client: Client, answer: Answer, wanted: number): Promise<Opened> {
  const { bytes, total } = await rangeOf(client, answer, { offset: 0n, length: wanted });
  return { prefix: bytes, total, ranges: true };
}

/** A 200: the server ignored the range, so only the first bytes are read and the connection is dropped. */
async function whole(client: Client, answer: Answer, wanted: number): Promise<Opened> {
  const declared = parseContentLength(answer.headers['content-length']);
  const { bytes, ended } = await client.take(answer, wanted);
  const complete = ended || declared === BigInt(bytes.length);
  return { prefix: bytes, total: complete ? BigInt(bytes.length) : declared, ranges: false };
}

/** The body of a 206, which must be what `range` asked for, or the beginning of it. */
async function rangeOf(client: Client, answer: Answer, range: ByteRange) {
  const said = parseContentRange(answer.headers['content-range']);
  if (said === undefined || said.first !== range.offset || said.last >= range.offset + BigInt(range.length))
    throw abandoned(answer, new SourceError('bad-answer', 'content range'));
  const length = Number(said.last - said.first) + 1;
  const { bytes } = await client.take(answer, length + 1);
  if (bytes.length !== length) throw new SourceError('bad-answer', 'content range');
  return { bytes, total: said.total };
}

/** Random access to a file whose first answer is known; later ranges must be of the very same file. */
class HttpSource implements ByteSource {
  readonly size: bigint | null;
  readonly identity: string | null;
  readonly #client: Client;
  readonly #ask: Ask;
  readonly #opened: Opened;
  readonly #validators: Headers;
  readonly #blocks = new Blocks(BLOCK);

  constructor(client: Client, ask: Ask, first: Answer, opened: Opened, size: bigint | null) {
    const etag = strongEtag(first.headers);
    const validator = etag ?? first.headers['last-modified'];
    this.size = size;
    this.identity = etag ?? null;
    this.#client = client;
    this.#opened = opened;
    this.#validators = validator === undefined ? {} : { 'if-range': validator };
    // The original URL may redirect to another mirror each time, with other bytes under the same name.
    this.#ask = { ...ask, url: first.url };
    this.#blocks.hold(0n, opened.prefix);
  }

  get cost() {
    return this.#client.spending.cost;
  }

  async read(range: ByteRange): Promise<Uint8Array> {
    const end = this.#opened.total;
    if (end !== null && range.offset >= end) return new Uint8Array(0);
    const left = end === null ? range.length : Number(end - range.offset);
    const within = { offset: range.offset, length: Math.min(range.length, left) };
    return this.#blocks.read(within, end, this.#client.spending.bytesLeft, (part) => this.#fetch(part));
  }

  close(): void {
    this.#client.close();
  }

  async #fetch(range: ByteRange): Promise<Uint8Array> {
    if (!this.#opened.ranges) throw new SourceError('over-budget', 'its server does not serve ranges');
    this.#client.spending.afford(range.length);
    const last = range.offset + BigInt(range.length) - 1n;
    const headers = { ...this.#ask.headers, ...this.#validators, range: `bytes=${range.offset}-${last}` };
    const answer = await this.#client.get({ ...this.#ask, headers });
    if (answer.status === 416 && this.#opened.total === null) {
      answer.body.destroy();
      return new Uint8Array(0);
    }
    if (answer.status !== 206) throw abandoned(answer, laterFailure(answer.status));
    const etag = strongEtag(answer.headers);
    const { bytes, total } = await rangeOf(this.#client, answer, range);
    const end = range.offset + BigInt(bytes.length);
    if (bytes.length < range.length && total !== null && end < total)
      throw new SourceError('bad-answer', 'content range');
    if (
      total !== this.#opened.total ||
      (this.identity !== null && etag !== undefined && etag !== this.identity)
    )
      throw new SourceError('changed');
    return bytes;
  }
}

/** If-Range turns a changed file into a 200; a server that moved it or cut it answers with 3xx or 416. */
function laterFailure(status: number): SourceError {
  return status === 200 || status === 416 || (status >= 300 && status < 400)
    ? new SourceError('changed')
    : statusFailure(status);
}

function abandoned(answer: Answer, error: SourceError): SourceError {
  answer.body.destroy();
  return error;
}

/** Weak validators say that two files mean the same, not that their bytes are equal (RFC 9110, 8.8.1). */
function strongEtag(headers: Answer['headers']): string | undefined {
  return headers.etag !== undefined && /^"[^"]*"$/.test(headers.etag) ? headers.etag : undefined;
}

function encodingOf(headers: Answer['headers']): 'none' | 'gzip' | 'other' {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return 'none';
  return encoding === 'gzip' || encoding === 'x-gzip' ? 'gzip' : 'other';
}

/** Servers mislabel images as text/html, and serve their error pages with 200: only both together are a page. */
function isHtml(headers: Answer['headers'], prefix: Uint8Array): boolean {
  if (!/^\s*(text\/html|application\/xhtml\+xml)\b/i.test(headers['content-type'] ?? '')) return false;
  const start = Buffer.from(prefix.subarray(0, 1024)).toString('latin1');
  return /^(\xef\xbb\xbf)?\s*(<!--|<!doctype html|<\?xml|<html|<head|<body|<title|<h1|<p\b)/i.test(start);
}
