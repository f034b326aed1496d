import { createHash } from 'node:crypto';
import { textAt } from '../object/object.ts';
import { parseChallenge } from './challenge.ts';
import { type Answer, type Client, type Headers, webUrl } from './client.ts';
import { statusFailure } from './failures.ts';
import { MANIFEST_TYPES } from './manifest.ts';
import { basicAuthorization } from './own-headers.ts';
import { type ImageReference, isDigest } from './reference.ts';
import { SourceError, type SourceRequest } from './source.ts';

/** A registry's own limit for manifests is 4 MiB; those of images are a few KiB. */
const MAX_DOCUMENT = 1024 * 1024;
const MAX_TOKEN = 64 * 1024;

/** One repository of a registry, by the distribution API, with the authorization that it asks for. */
export class Repository {
  readonly #client: Client;
  readonly #base: URL;
  readonly #name: string;
  readonly #basic: Headers;
  #authorization: Headers | undefined;

  constructor(client: Client, reference: ImageReference, scheme: 'http' | 'https', request: SourceRequest) {
    this.#client = client;
    this.#base = webUrl(`${scheme}://${reference.host}/v2/${reference.name}/`);
    this.#name = reference.name;
    this.#basic = basicAuthorization(request);
  }

  /** The manifest or index of a tag or digest. Throws SourceError, `bad-answer` where the digest is not its own. */
  async manifest(version: string): Promise<unknown> {
    const answer = await this.#get(`manifests/${version}`, { accept: MANIFEST_TYPES.join(', ') });
    return this.#json(answer, isDigest(version) ? version : undefined);
  }

  /** A small JSON blob, such as an image's configuration. */
  async document(digest: string): Promise<unknown> {
    return this.#json(await this.blob(digest), digest);
  }

  /** A blob, its body unread, from wherever the registry redirects to. */
  blob(digest: string): Promise<Answer> {
    return this.#get(`blobs/${digest}`, {});
  }

  async #get(path: string, headers: Headers): Promise<Answer> {
    const url = new URL(path, this.#base);
    const ask = () => this.#client.follow({ url, headers, own: this.#own() });
    let answer = await ask();
    if (answer.status === 401 && answer.url.origin === url.origin && this.#authorization === undefined) {
      // Read to its end, so that the connection serves the next request as well.
      await this.#client.take(answer, MAX_TOKEN);
      this.#authorization = await this.#authorize(answer);
      answer = await ask();
    }
    if (answer.status === 200) return answer;
    answer.body.destroy();
    throw statusFailure(answer.status);
  }

  #own() {
    return { origin: this.#base.origin, headers: this.#authorization ?? {} };
  }

  /** What a 401 asks for: the credentials themselves, or a token that is got with them or without. */
  async #authorize(answer: Answer): Promise<Headers> {
    const challenge = parseChallenge(answer.headers['www-authenticate']);
    if (challenge?.scheme !== 'bearer') {
      if (challenge === undefined || this.#basic.authorization === undefined)
        throw new SourceError('needs-credentials');
      return this.#basic;
    }
    const realm = tokenServer(challenge.realm);
    if (this.#base.protocol === 'https:' && realm.protocol === 'http:')
      throw new SourceError('not-permitted', 'its token server is not https');
    // Our own scope, whatever the challenge names: a token for more than reading this has no use here.
    realm.searchParams.set('scope', `repository:${this.#name}:pull`);
    if (challenge.service !== undefined) realm.searchParams.set('service', challenge.service);
    const own = { origin: realm.origin, headers: this.#basic };
    const { bytes } = await this.#client.document({ url: realm, headers: {}, own }, MAX_TOKEN);
    const document = parseJson(bytes);
    const token = textAt(document, 'token') ?? textAt(document, 'access_token');
    if (token === undefined || !/^[\x21-\x7e]+$/.test(token))
      throw new SourceError('bad-answer', 'its token');
    return { authorization: `Bearer ${token}` };
  }

  async #json(answer: Answer, digest: string | undefined): Promise<unknown> {
    const { bytes, ended } = await this.#client.take(answer, MAX_DOCUMENT + 1);
    if (!ended) throw new SourceError('bad-answer', 'too long');
    if (digest !== undefined && digest !== digestOf(bytes, digest))
      throw new SourceError('bad-answer', 'digest');
    return parseJson(bytes);
  }
}

function tokenServer(realm: string): URL {
  try {
    return webUrl(realm);
  } catch {
    throw new SourceError('bad-answer', 'its token server');
  }
}

/** The digest of `bytes`, by the algorithm of `like`. */
function digestOf(bytes: Uint8Array, like: string): string {
  const algorithm = like.slice(0, like.indexOf(':'));
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw new SourceError('bad-answer', 'not JSON');
  }
}
