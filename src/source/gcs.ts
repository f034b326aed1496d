import { webUrl } from './client.ts';
import { openHttp } from './http.ts';
import { type OpenSource, SourceError } from './source.ts';

const STORE = 'https://storage.googleapis.com/';
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;

/**
 * A public object in Google Cloud Storage, by `gs://bucket/object` or by the URL that it is served at.
 * Google takes no key and secret, so credentials are not sent.
 */
export const openGcs: OpenSource = async ({ credentials: _, ...request }, context) =>
  openHttp({ ...request, kind: 'http', url: objectUrl(request.url).href }, context);

/** Where `gs://bucket/object` is served; the object's name is taken as it stands, as CDI takes it. Throws `bad-url`. */
export function objectUrl(text: string): URL {
  const match = /^gs:\/\/([^/]*)\/(.+)$/s.exec(text.trim());
  if (match === null) return webUrl(text);
  const [, bucket = '', object = ''] = match;
  const segments = object.split('/');
  // A URL's path has no place for a name that is a dot or two: they would lead out of the bucket.
  const valid = BUCKET.test(bucket) && object.isWellFormed() && !segments.some((one) => /^\.\.?$/.test(one));
  if (!valid) throw new SourceError('bad-url');
  return new URL(`${bucket}/${segments.map(encodeURIComponent).join('/')}`, STORE);
}
