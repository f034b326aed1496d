import { isIPv4, isIPv6 } from 'node:net';

/** An address as a number: 32 bits of IPv4 or 128 of IPv6. */
export interface Ip {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

/** A network: the addresses whose first `prefix` bits are those of `bits`. */
export interface Cidr extends Ip {
  readonly prefix: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;

/** The address in `text`, a zone (`%eth0`) left out; undefined where it is not a canonical address. */
export function parseIp(text: string): Ip | undefined {
  if (isIPv4(text)) return { family: 4, bits: ipv4Bits(text) };
  if (isIPv6(text)) return { family: 6, bits: ipv6Bits(text.replace(/%.*$/, '')) };
  return undefined;
}

/** `address/prefix`, or an address alone, which is a network of one; undefined for anything else. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  const ip = parseIp(slash < 0 ? text : text.slice(0, slash));
  if (ip === undefined) return undefined;
  if (slash < 0) return { ...ip, prefix: WIDTH[ip.family] };
  const digits = text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(digits) || Number(digits) > WIDTH[ip.family]) return undefined;
  return { ...ip, prefix: Number(digits) };
}

export function contains(network: Cidr, ip: Ip): boolean {
  const host = BigInt(WIDTH[network.family] - network.prefix);
  return network.family === ip.family && network.bits >> host === ip.bits >> host;
}

/** The IPv4 address that stands in an IPv6 one, its last bit `end` bits from the left. */
export function ipv4Within(ip: Ip, end: number): Ip {
  return { family: 4, bits: (ip.bits >> BigInt(128 - end)) & 0xffffffffn };
}

function ipv4Bits(text: string): bigint {
  return text.split('.').reduce((bits, octet) => (bits << 8n) | BigInt(octet), 0n);
}

function ipv6Bits(text: string): bigint {
  const dotted = text.includes('.') ? text.slice(text.lastIndexOf(':') + 1) : undefined;
  const plain = dotted === undefined ? text : text.replace(dotted, hexGroups(ipv4Bits(dotted)));
  const [head = [], tail] = plain.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...(tail ?? [])];
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

function hexGroups(bits: bigint): string {
  return `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
}
