import type { Cidr, Ip } from './ip.ts';
import { contains, ipv4Within, parseCidr, parseIp } from './ip.ts';
import type { AddressPolicy } from './source.ts';

const networks = (...texts: string[]): readonly Cidr[] =>
  texts.map(parseCidr).filter((network) => network !== undefined);

/** Where clouds hand out credentials to whoever asks: no mode and no entry opens them. */
const METADATA = networks(
  '169.254.0.0/16', // EC2, GCE, Azure, OpenStack; ECS tasks at .170.2, EKS pods at .170.23
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure's wire server
  '192.0.0.192', // Oracle's older cloud
  'fd00:ec2::/32', // EC2, EKS pods
  'fd20:ce::254', // GCE
  'fe80::a9fe:a9fe', // OpenStack
);

const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Not of the public Internet: IANA's special-purpose registries. */
const SPECIAL = networks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
);

/** Outside it, IPv6 has loopback, link-local, unique local, site-local, multicast and nothing public. */
const [GLOBAL_UNICAST] = networks('2000::/3') as [Cidr];

/**
 * Prefixes whose addresses reach an IPv4 host: where in them it stands (the bit after its last), and
 * whether the prefix itself is fit for the public Internet.
 */
const CARRIERS: readonly { prefix: Cidr; inner: (ip: Ip) => readonly Ip[]; transparent: boolean }[] = [
  carrier('::ffff:0:0/96', true, (ip) => [ipv4Within(ip, 128)]), // IPv4-mapped
  carrier('::/96', false, (ip) => [ipv4Within(ip, 128)]), // IPv4-compatible
  carrier('::ffff:0:0:0/96', false, (ip) => [ipv4Within(ip, 128)]), // SIIT, RFC 2765
  carrier('64:ff9b::/96', true, (ip) => [ipv4Within(ip, 128)]), // NAT64, RFC 6052
  carrier('64:ff9b:1::/48', false, localNat64), // NAT64 of one's own, RFC 8215
  carrier('2002::/16', true, (ip) => [ipv4Within(ip, 48)]), // 6to4
  carrier('2001::/32', true, (ip) => [ipv4Within(ip, 64), complement(ipv4Within(ip, 128))]), // Teredo
];

function carrier(prefix: string, transparent: boolean, inner: (ip: Ip) => readonly Ip[]) {
  return { prefix: networks(prefix)[0] as Cidr, inner, transparent };
}

/** Its operator chooses the prefix length, and with it the place (RFC 6052, 2.2: bits 64 to 71 are skipped). */
function localNat64(ip: Ip): readonly Ip[] {
  const without = ((ip.bits >> 64n) << 56n) | (ip.bits & 0xffffffffffffffn);
  const at = (end: number): Ip => ipv4Within({ family: 6, bits: without << 8n }, end);
  return [at(80), at(88), at(96), ipv4Within(ip, 128)];
}

function complement(ip: Ip): Ip {
  return { family: 4, bits: ip.bits ^ 0xffffffffn };
}

/** The addresses that dialling `ip` may reach: itself, or the IPv4 addresses that it carries. */
function reached(ip: Ip): readonly Ip[] {
  const found = CARRIERS.find(({ prefix }) => contains(prefix, ip));
  if (found === undefined) return [ip];
  return found.transparent ? found.inner(ip) : [ip, ...found.inner(ip)];
}

const within = (list: readonly Cidr[], ip: Ip) => list.some((network) => contains(network, ip));

function isPublic(ip: Ip): boolean {
  return !within(SPECIAL, ip) && (ip.family === 4 || contains(GLOBAL_UNICAST, ip));
}

/** Names that only a cluster or a local network gives a meaning to. */
function isInternalName(host: string): boolean {
  if (parseIp(host) !== undefined) return false;
  return !host.includes('.') || /\.(localhost|local|internal|svc|home\.arpa)$/.test(host);
}

/** `host` as it is compared: lower case, without brackets and the root's dot. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

interface Entry {
  readonly host: string;
  readonly port: number | undefined;
  readonly network: Cidr | undefined;
}

function parseEntry(text: string): Entry {
  const whole = text.trim();
  const withPort = parseCidr(whole) === undefined ? /^(.*):(\d{1,5})$/.exec(whole) : null;
  const host = plainHost(withPort?.[1] ?? whole);
  return { host, port: withPort ? Number(withPort[2]) : undefined, network: parseCidr(host) };
}

function names(entry: Entry, host: string): boolean {
  return entry.host.startsWith('.') ? host.endsWith(entry.host) : host === entry.host;
}

function opens(entry: Entry, ip: Ip): boolean {
  const { network } = entry;
  return (
    network !== undefined && (contains(network, ip) || reached(ip).every((one) => contains(network, one)))
  );
}

const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);

/**
 * Whether `address` may be dialled for `host` at `port`. `host` is the URL's own host, name or literal;
 * `address` what it resolved to. An entry without a port opens every port; the public Internet is open
 * at 80 and 443.
 */
export function permits(policy: AddressPolicy, host: string, port: number, address: string): boolean {
  const ip = parseIp(address);
  if (ip === undefined || [ip, ...reached(ip)].some((one) => within(METADATA, one))) return false;
  const isOpened = (entry: Entry) => opens(entry, ip);
  return admits(policy, plainHost(host), port, isOpened, reached(ip).every(isPublic));
}

/**
 * Whether a proxy may be asked for `host` at `port`: it resolves the name itself, so only the name can be
 * judged. A literal address is judged as an address.
 */
export function permitsByName(policy: AddressPolicy, host: string, port: number): boolean {
  const name = plainHost(host);
  if (parseIp(name) !== undefined) return permits(policy, name, port, name);
  return admits(policy, name, port, () => false, true);
}

function admits(
  policy: AddressPolicy,
  name: string,
  port: number,
  isOpened: (entry: Entry) => boolean,
  isPublicAddress: boolean,
): boolean {
  if (METADATA_NAMES.has(name)) return false;
  if (policy.mode === 'any') return true;
  const entries = policy.allow.map(parseEntry).filter((entry) => (entry.port ?? port) === port);
  if (entries.some((entry) => names(entry, name) || isOpened(entry))) return true;
  if (policy.mode === 'allowlist' || !WEB_PORTS.has(port)) return false;
  return isPublicAddress && !isInternalName(name);
}
