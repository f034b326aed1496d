import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Headers } from './client.ts';
import { SourceError, type SourceRequest } from './source.ts';

/** Hop-by-hop headers, and those that decide what is asked for: not for a volume's spec to set. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'if-range',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * What is sent to the request's own origin alone: its credentials as Basic, and the headers that a user
 * added, which stand before them. Throws `bad-url` where one of them cannot be sent.
 */
export function ownHeaders(request: SourceRequest): Headers {
  const added = Object.entries({ ...request.headers, ...request.secretHeaders })
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !RESERVED.has(name));
  for (const [name, value] of added) validate(name, value);
  return { ...basicAuthorization(request), ...Object.fromEntries(added) };
}

/** Key and secret as CDI sends them (RFC 7617), or nothing. */
export function basicAuthorization({ credentials }: SourceRequest): Headers {
  if (credentials === undefined) return {};
  const pair = Buffer.from(`${credentials.accessKeyId}:${credentials.secretKey}`);
  return { authorization: `Basic ${pair.toString('base64')}` };
}

function validate(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new SourceError('bad-url', 'a header cannot be sent');
  }
}
