import { AwsV4Signer } from 'aws4fetch';
import { type Headers, webUrl } from './client.ts';
import { openHttp } from './http.ts';
import type { OpenSource, SourceRequest } from './source.ts';

/**
 * An object in an S3-compatible store, by the URL that CDI is given: the store's host, then bucket and key;
 * a bucket in the host's name works as well. Signed with credentials (SigV4), anonymous without.
 */
export const openS3: OpenSource = async ({ credentials, ...request }, context) => {
  const url = objectUrl(request.url);
  const signed = credentials === undefined ? {} : await signature(url, credentials);
  const secretHeaders = { ...request.secretHeaders, ...signed };
  return openHttp({ ...request, kind: 'http', url: url.href, secretHeaders }, context);
};

/** CDI takes the path alone, and a plus in it for itself; a query would have to be signed. */
function objectUrl(text: string): URL {
  const url = webUrl(text);
  url.search = '';
  url.pathname = url.pathname.replaceAll('+', '%2B');
  return url;
}

/** Good for every range: S3 does not have Range signed, and a signature lasts for 15 minutes. */
async function signature(
  url: URL,
  { accessKeyId, secretKey }: NonNullable<SourceRequest['credentials']>,
): Promise<Headers> {
  const signer = new AwsV4Signer({
    url: url.href,
    accessKeyId,
    secretAccessKey: secretKey,
    service: 's3',
    region: regionOf(url.hostname),
  });
  const { headers } = await signer.sign();
  return Object.fromEntries(headers);
}

const DEFAULT_REGION = 'us-east-1';
const AWS = /(?:^|\.)s3(?:[.-](?:dualstack\.)?([a-z0-9-]+))?\.amazonaws\.com(?:\.cn)?$/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The region in Amazon's host names; elsewhere the first label, as CDI signs for stores of one's own. */
export function regionOf(host: string): string {
  const aws = AWS.exec(host);
  if (aws !== null) return aws[1] ?? DEFAULT_REGION;
  const first = host.split('.')[0] ?? '';
  return LABEL.test(first) ? first : DEFAULT_REGION;
}
