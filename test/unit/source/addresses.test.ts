import t from 'tap';
import { permits, permitsByName, plainHost } from '../../../src/source/addresses.ts';
import type { AddressPolicy } from '../../../src/source/source.ts';

const open: AddressPolicy = { mode: 'public', allow: [] };
const any: AddressPolicy = { mode: 'any', allow: [] };
const policy = (mode: AddressPolicy['mode'], ...allow: string[]): AddressPolicy => ({ mode, allow });
const dial = (p: AddressPolicy, address: string, port = 443, host = 'images.example.com') =>
  permits(p, host, port, address);

const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.0.0',
  '169.254.255.255',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fe80::a9fe:a9fe',
  'fe80::a9fe:a9fe%eth0',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::169.254.169.254',
  '::ffff:0:169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::169.254.169.254',
  '64:ff9b:1:a9fe:a9:fe00::',
  '64:ff9b:1:00a9:00fe:a9fe::',
  '64:ff9b:1:0:a9:fea9:fe00:0',
  '2002:a9fe:a9fe::',
  '2002:a9fe:a9fe::1',
  '2001:0:a9fe:a9fe::',
  '2001:0:808:808:0:0:5601:5601',
  '64:ff9b::100.100.100.200',
  '::ffff:168.63.129.16',
];

t.test('metadata addresses are never dialled', (t) => {
  for (const address of METADATA) {
    t.notOk(dial(any, address), `any: ${address}`);
    t.notOk(dial(open, address), `public: ${address}`);
    for (const mode of ['public', 'allowlist', 'any'] as const)
      t.notOk(
        dial(policy(mode, 'images.example.com', '0.0.0.0/0', '::/0', address.replace(/%.*/, '')), address),
        `${mode} with entries: ${address}`,
      );
  }
  for (const host of ['metadata.google.internal', 'METADATA.google.internal.', 'metadata', 'instance-data']) {
    t.notOk(permits(policy('any', host), host, 80, '8.8.8.8'), host);
    t.notOk(permitsByName(policy('any', host), host, 80), `${host} by a proxy`);
  }
  t.end();
});

/** Each range: its first and last address, and those next to it that are public. */
const RANGES: readonly [string, readonly string[], readonly string[]][] = [
  ['this host', ['0.0.0.0', '0.255.255.255'], ['1.0.0.0']],
  ['10/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['carrier-grade NAT', ['100.64.0.0', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  ['loopback', ['127.0.0.0', '127.0.0.1', '127.255.255.255'], ['126.255.255.255', '128.0.0.0']],
  ['172.16/12', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  ['IETF', ['192.0.0.0', '192.0.0.255'], ['191.255.255.255', '192.0.1.0']],
  ['documentation 1', ['192.0.2.0', '192.0.2.255'], ['192.0.1.255', '192.0.3.0']],
  ['6to4 relays', ['192.88.99.0', '192.88.99.255'], ['192.88.98.255', '192.88.100.0']],
  ['192.168/16', ['192.168.0.0', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
  ['benchmarks', ['198.18.0.0', '198.19.255.255'], ['198.17.255.255', '198.20.0.0']],
  ['documentation 2', ['198.51.100.0', '198.51.100.255'], ['198.51.99.255', '198.51.101.0']],
  ['documentation 3', ['203.0.113.0', '203.0.113.255'], ['203.0.112.255', '203.0.114.0']],
  ['multicast', ['224.0.0.0', '239.255.255.255'], ['223.255.255.255']],
  ['reserved, broadcast', ['240.0.0.0', '255.255.255.255'], []],
  ['IPv6 unspecified and loopback', ['::', '::1', '0:0:0:0:0:0:0:1'], []],
  ['below and above global unicast', ['1fff:ffff::', '4000::'], ['2400::', '3ffe::', '2600::1']],
  ['link-local', ['fe80::', 'fe80::1', 'fe80::1%eth0', 'febf:ffff::'], []],
  ['unique local', ['fc00::', 'fd00::1', 'fdff:ffff::'], []],
  ['site-local', ['fec0::', 'feff:ffff::'], []],
  ['IPv6 multicast', ['ff00::', 'ff02::1', 'ffff::'], []],
  ['IETF, ORCHID', ['2001:2::', '2001:10::', '2001:1ff:ffff::'], ['2001:200::', '2000:ffff::']],
  [
    'IPv6 documentation',
    ['2001:db8::', '2001:db8:ffff::', '3fff::', '3fff:fff:ffff::'],
    ['2001:db7::', '3fff:1000::'],
  ],
  ['discard', ['100::', '100::1'], []],
  [
    'IPv4-mapped',
    ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::FFFF:192.168.1.1'],
    ['::ffff:8.8.8.8'],
  ],
  ['IPv4-compatible', ['::127.0.0.1', '::10.0.0.1', '::8.8.8.8'], []],
  ['SIIT', ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'], []],
  ['NAT64', ['64:ff9b::127.0.0.1', '64:ff9b::a00:1'], ['64:ff9b::8.8.8.8']],
  ['local NAT64', ['64:ff9b:1::10.0.0.1', '64:ff9b:1::8.8.8.8'], []],
  ['6to4', ['2002:7f00:1::', '2002:a00:1::1', '2002:c0a8:101::'], ['2002:808:808::1']],
  ['Teredo server', ['2001:0:7f00:1::f7f7:f7f7'], ['2001:0:808:808::f7f7:f7f7']],
  ['Teredo client', ['2001:0:808:808::80ff:fffe', '2001:0:808:808::f5ff:fffe'], []],
];

t.test('what is not public is closed, and opens by mode or entry', (t) => {
  for (const [name, closed, publics] of RANGES) {
    for (const address of closed) {
      t.notOk(dial(open, address), `${name}: ${address}`);
      t.ok(dial(any, address), `${name}: ${address} in any`);
      t.ok(dial(policy('public', 'images.example.com'), address), `${name}: ${address} by name`);
      t.ok(dial(policy('allowlist', '.example.com'), address), `${name}: ${address} by suffix`);
      t.ok(dial(policy('public', address.replace(/%.*/, '')), address), `${name}: ${address} by address`);
    }
    for (const address of publics) {
      t.ok(dial(open, address), `${name}: ${address} is public`);
      t.notOk(dial(policy('allowlist'), address), `${name}: ${address} in an empty allowlist`);
    }
  }
  t.end();
});

t.test('no address, no connection', (t) => {
  for (const address of ['', 'localhost', '010.0.0.1', '0x7f.1', '2130706433', '127.1', '1.2.3.4.5'])
    for (const p of [any, policy('any', address)]) t.notOk(dial(p, address), address);
  t.end();
});

t.test('entries', (t) => {
  const rows: [string, string, number, string, boolean][] = [
    // entry, host, port, address, permitted
    ['images.corp', 'images.corp', 8080, '10.0.0.1', true],
    ['images.corp', 'IMAGES.corp.', 8080, '10.0.0.1', true],
    ['Images.Corp', 'images.corp', 8080, '10.0.0.1', true],
    ['images.corp', 'a.images.corp', 443, '10.0.0.1', false],
    ['images.corp', 'images.corp.evil.com', 443, '10.0.0.1', false],
    ['images.corp', 'notimages.corp', 443, '10.0.0.1', false],
    ['images.corp:8080', 'images.corp', 8080, '10.0.0.1', true],
    ['images.corp:8080', 'images.corp', 8081, '10.0.0.1', false],
    ['images.corp:8080', 'images.corp', 443, '10.0.0.1', false],
    ['.corp', 'images.corp', 443, '10.0.0.1', true],
    ['.corp', 'corp', 443, '10.0.0.1', false],
    ['.corp', 'imagescorp', 443, '10.0.0.1', false],
    ['.corp:5000', 'images.corp', 5000, '10.0.0.1', true],
    ['.corp:5000', 'images.corp', 443, '10.0.0.1', false],
    ['10.0.0.0/8', 'anything.example', 9000, '10.200.0.1', true],
    ['10.0.0.0/8', 'anything.example', 9000, '11.0.0.1', false],
    ['10.0.0.0/8', 'anything.example', 9000, '::ffff:10.0.0.1', true],
    ['10.0.0.0/8', 'anything.example', 9000, '64:ff9b::10.0.0.1', true],
    ['10.0.0.0/8', 'anything.example', 9000, '::10.0.0.1', false],
    ['10.0.0.0/8', 'anything.example', 9000, '2001:0:808:808::f5ff:fffe', false],
    ['8.8.8.0/24', 'anything.example', 443, '2002:808:808::1', true],
    ['8.8.8.0/24', 'anything.example', 443, '2002:808:908::1', false],
    ['2002::/16', 'anything.example', 443, '2002:808:808::1', true],
    ['fd00::/8', 'anything.example', 443, 'fd12::1', true],
    ['10.0.0.5', '10.0.0.5', 443, '10.0.0.5', true],
    ['10.0.0.5:8080', '10.0.0.5', 8080, '10.0.0.5', true],
    ['10.0.0.5:8080', '10.0.0.5', 8081, '10.0.0.5', false],
    ['[fd12::1]:8080', '[fd12::1]', 8080, 'fd12::1', true],
    ['[fd12::1]:8080', '[fd12::1]', 8081, 'fd12::1', false],
    ['[fd12::1]', '[fd12::1]', 443, 'fd12::1', true],
    ['', 'images.corp', 443, '10.0.0.1', false],
    ['*', 'images.corp', 443, '10.0.0.1', false],
    ['10.0.0.0/99', 'images.corp', 443, '10.0.0.1', false],
  ];
  for (const [entry, host, port, address, wanted] of rows)
    t.equal(
      permits(policy('allowlist', entry), host, port, address),
      wanted,
      `${entry}: ${host}:${port} ${address}`,
    );
  t.end();
});

t.test('the public Internet is open at the web ports, under names of the public Internet', (t) => {
  const rows: [string, number, boolean][] = [
    ['images.example.com', 443, true],
    ['images.example.com', 80, true],
    ['images.example.com', 22, false],
    ['images.example.com', 8080, false],
    ['8.8.8.8', 443, true],
    ['[2600::1]', 443, true],
    ['localhost', 443, false],
    ['kubernetes', 443, false],
    ['a.localhost', 443, false],
    ['kubernetes.default.svc', 443, false],
    ['kubernetes.default.svc.cluster.local', 443, false],
    ['printer.local.', 443, false],
    ['vault.internal', 443, false],
    ['router.home.arpa', 443, false],
    ['svc.example.com', 443, true],
  ];
  for (const [host, port, wanted] of rows) {
    t.equal(
      permits(open, host, port, host.startsWith('[') ? '2600::1' : '8.8.8.8'),
      wanted,
      `${host}:${port}`,
    );
    t.equal(permitsByName(open, host, port), wanted, `${host}:${port} by a proxy`);
  }
  t.ok(permits(policy('public', 'images.example.com:8080'), 'images.example.com', 8080, '8.8.8.8'));
  t.ok(permits(any, 'kubernetes', 6443, '10.96.0.1'));
  t.end();
});

t.test('literal hosts in every spelling that a URL understands', (t) => {
  const spellings = [
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0x7f.1',
    '127.1',
    '127.0.1',
    '017700000001',
    '１２７.０.０.１',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '127.0.0.1.',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:ffff:7f00:1]',
  ];
  for (const spelling of spellings) {
    const { hostname } = new URL(`http://${spelling}/`);
    t.notOk(permits(open, hostname, 80, plainHost(hostname)), spelling);
    t.notOk(permitsByName(open, hostname, 80), `${spelling} by a proxy`);
    t.ok(permitsByName(any, hostname, 80), `${spelling} in any`);
  }
  for (const spelling of ['0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '[::ffff:a9fe:a9fe]'])
    t.notOk(permitsByName(any, new URL(`http://${spelling}/`).hostname, 80), spelling);
  t.end();
});

t.test('a proxy is asked for names that an entry or the mode opens', (t) => {
  const rows: [AddressPolicy, string, number, boolean][] = [
    [policy('allowlist', 'images.corp'), 'images.corp', 8080, true],
    [policy('allowlist', '.corp:443'), 'images.corp', 443, true],
    [policy('allowlist', '.corp:443'), 'images.corp', 80, false],
    [policy('allowlist', '10.0.0.0/8'), 'images.corp', 443, false],
    [policy('allowlist', '10.0.0.0/8'), '10.1.1.1', 443, true],
    [policy('allowlist', '0.0.0.0/0'), '169.254.169.254', 80, false],
    [policy('public', 'kubernetes.default.svc'), 'kubernetes.default.svc', 443, true],
    [any, 'images.corp', 8080, true],
  ];
  for (const [p, host, port, wanted] of rows)
    t.equal(permitsByName(p, host, port), wanted, `${p.mode} ${p.allow}: ${host}:${port}`);
  t.end();
});
