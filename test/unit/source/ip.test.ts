import fc from 'fast-check';
import t from 'tap';
import { contains, ipv4Within, parseCidr, parseIp } from '../../../src/source/ip.ts';

t.test('addresses as numbers', (t) => {
  const rows: [string, { family: 4 | 6; bits: bigint } | undefined][] = [
    ['0.0.0.0', { family: 4, bits: 0n }],
    ['255.255.255.255', { family: 4, bits: 0xffffffffn }],
    ['10.1.2.3', { family: 4, bits: 0x0a010203n }],
    ['::', { family: 6, bits: 0n }],
    ['::1', { family: 6, bits: 1n }],
    ['1::', { family: 6, bits: 1n << 112n }],
    ['1:2:3:4:5:6:7:8', { family: 6, bits: 0x00010002000300040005000600070008n }],
    ['1:2:3::8', { family: 6, bits: 0x00010002000300000000000000000008n }],
    ['::ffff:10.1.2.3', { family: 6, bits: 0xffff0a010203n }],
    ['1:2:3:4:5:6:10.1.2.3', { family: 6, bits: 0x0001000200030004000500060a010203n }],
    ['FE80::A%eth0', { family: 6, bits: (0xfe80n << 112n) | 10n }],
    ['', undefined],
    ['010.1.2.3', undefined],
    ['10.1.2', undefined],
    ['0x0a010203', undefined],
    ['167838211', undefined],
    ['1::2::3', undefined],
    ['[::1]', undefined],
    ['example.com', undefined],
  ];
  for (const [text, wanted] of rows) t.same(parseIp(text), wanted, text);
  t.end();
});

t.test('networks', (t) => {
  const rows: [string, string, boolean][] = [
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '9.255.255.255', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::1', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.6', false],
    ['192.0.2.7/31', '192.0.2.6', true],
    ['fe80::/10', 'febf:ffff::', true],
    ['fe80::/10', 'fec0::', false],
    ['::/0', 'ffff::', true],
    ['::1/128', '::1', true],
  ];
  for (const [network, address, wanted] of rows)
    t.equal(contains(parseCidr(network)!, parseIp(address)!), wanted, `${address} in ${network}`);
  for (const text of ['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/x', '10.0.0.0/-1', 'a/8', '10/8', ''])
    t.equal(parseCidr(text), undefined, text);
  t.end();
});

t.test('an IPv4 address within an IPv6 one', (t) => {
  t.same(ipv4Within(parseIp('2002:a01:203::')!, 48), parseIp('10.1.2.3'));
  t.same(ipv4Within(parseIp('64:ff9b::10.1.2.3')!, 128), parseIp('10.1.2.3'));
  t.end();
});

t.test('every spelling of an IPv6 address is the same number', (t) => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
      t.same(parseIp(text), parseIp(canonical), text);
    }),
    { numRuns: 200 },
  );
  t.end();
});
