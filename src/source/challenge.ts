/** How a registry wants to be asked: its WWW-Authenticate header (RFC 9110, 11.6.1). */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service: string | undefined };

const PARAMETER = /([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/gi;

/** The first challenge of a kind that is understood; undefined where there is none. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  // A registry that offers both wants a token: Basic is for its token server.
  const bearer = /(?:^|,)\s*bearer\s+(.*)$/i.exec(header ?? '')?.[1];
  if (bearer === undefined) return /(?:^|,)\s*basic\b/i.test(header ?? '') ? { scheme: 'basic' } : undefined;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare] of bearer.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '');
  }
  const realm = parameters.get('realm');
  return realm === undefined ? undefined : { scheme: 'bearer', realm, service: parameters.get('service') };
}
