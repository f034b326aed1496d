import { BlockList, isIP } from 'node:net';

/** Variables of a process's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy by which a URL is reached; undefined: none. */
export type ProxyFor = (url: string) => string | undefined;

/** URLs of registries are https behind another scheme. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  'http:': ['http_proxy', 'HTTP_PROXY'],
  'https:': ['https_proxy', 'HTTPS_PROXY'],
  'docker:': ['https_proxy', 'HTTPS_PROXY'],
  'gs:': ['https_proxy', 'HTTPS_PROXY'],
};

function isListed(host: string, port: string, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '') return false;
    if (entry === '*') return true;
    if (entry.includes('/')) return isWithin(host, entry);
    const [, name = '', ofPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (ofPort !== undefined && ofPort !== port) return false;
    const suffix = name.replace(/^\*?\./, '').toLowerCase();
    return host === suffix || host.endsWith(`.${suffix}`);
  });
}

function isWithin(host: string, cidr: string): boolean {
  const [network = '', length = ''] = cidr.split('/', 2);
  const families = { 4: 'ipv4', 6: 'ipv6' } as const;
  const family = families[isIP(network) as 4 | 6];
  const most = family === 'ipv4' ? 32 : 128;
  if (family === undefined || !/^\d{1,3}$/.test(length) || Number(length) > most) return false;
  if (isIP(host) !== isIP(network)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(length), family);
  return list.check(host, family);
}

/**
 * The configured proxy for every URL; where there is none, those of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY and
 * their small forms, as curl reads them: suffixes of host names, CIDRs, `*`).
 */
export function proxiesOf(configured: string | undefined, environment: Environment): ProxyFor {
  if (configured !== undefined) return () => configured;
  const first = (names: readonly string[]) => names.map((name) => environment[name]).find((value) => value);
  const exceptions = first(['no_proxy', 'NO_PROXY']) ?? '';
  return (url) => {
    if (!URL.canParse(url)) return undefined;
    const { protocol, hostname, port } = new URL(url);
    const proxy = first(VARIABLES[protocol] ?? []);
    const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
    const isException = isListed(host, port || (protocol === 'http:' ? '80' : '443'), exceptions);
    return proxy === undefined || isException ? undefined : proxy;
  };
}
