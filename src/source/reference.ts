import { SourceError } from './source.ts';

/** An image in a registry, as `docker://host/name:tag` or `docker://host/name@digest` names it. */
export interface ImageReference {
  /** Host and port of the registry's API. */
  readonly host: string;
  readonly name: string;
  /** A tag, or a digest with its algorithm. */
  readonly version: string;
}

const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const NAME = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const TAG = /^\w[\w.-]{0,127}$/;
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
/** The names are of the distribution and OCI specifications; 255 bounds the work of their patterns. */
const MAX_NAME = 255;

/** Algorithms that a digest may be of, and how long its hexadecimal form is. */
const DIGEST = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/** Parses a `docker://` URL as the container tools do, Docker Hub's short names included. Throws `bad-url`. */
export function parseReference(url: string): ImageReference {
  if (/^oci-archive:/.test(url)) throw new SourceError('unsupported', 'oci-archive');
  const rest = /^docker:\/\/(.+)$/.exec(url.trim())?.[1];
  if (rest === undefined) throw new SourceError('bad-url');
  const [path = '', digest] = split(rest, rest.indexOf('@'));
  const colon = path.lastIndexOf(':');
  const [named = '', tag] = split(path, colon > path.lastIndexOf('/') ? colon : -1);
  const slash = named.indexOf('/');
  const first = named.slice(0, Math.max(slash, 0));
  const hasHost = /[.:]|^localhost$/.test(first);
  const host = hasHost ? first : 'docker.io';
  const name = hasHost ? named.slice(slash + 1) : named;
  const full = host === 'docker.io' && !name.includes('/') ? `library/${name}` : name;
  // CDI's libraries refuse a reference that has both.
  const valid =
    HOST.test(host) &&
    full.length <= MAX_NAME &&
    NAME.test(full) &&
    (digest === undefined ? TAG.test(tag ?? 'latest') : tag === undefined && isDigest(digest));
  if (!valid) throw new SourceError('bad-url');
  return {
    host: host === 'docker.io' ? 'registry-1.docker.io' : host,
    name: full,
    version: digest ?? tag ?? 'latest',
  };
}

/** `text` before and after the character at `index`, or whole where there is none. */
function split(text: string, index: number): [string, string?] {
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
