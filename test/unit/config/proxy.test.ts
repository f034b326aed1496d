import t from 'tap';
import { proxiesOf } from '../../../src/config/proxy.ts';

const PROXIES = { HTTP_PROXY: 'http://plain:3128', HTTPS_PROXY: 'http://secure:3128' };

const rows: [name: string, noProxy: string | undefined, url: string, proxy: string | undefined][] = [
  ['http', undefined, 'http://images.example/a', 'http://plain:3128'],
  ['https', undefined, 'https://images.example/a', 'http://secure:3128'],
  ['a registry', undefined, 'docker://quay.example/a/b', 'http://secure:3128'],
  ['a bucket', undefined, 'gs://bucket/a', 'http://secure:3128'],
  ['another scheme', undefined, 'ftp://images.example/a', undefined],
  ['no URL', undefined, 'images.example', undefined],
  ['the host itself', 'images.example', 'http://images.example/a', undefined],
  ['whatever its case', 'Images.Example', 'http://IMAGES.example/a', undefined],
  ['a host below', 'example', 'http://images.example/a', undefined],
  ['a host below, with a dot', '.example', 'http://images.example/a', undefined],
  ['a host below, with a star', '*.example', 'http://images.example/a', undefined],
  ['a host that only ends so', 'ges.example', 'http://images.example/a', 'http://plain:3128'],
  ['one of many', 'a.example, images.example', 'http://images.example/a', undefined],
  ['the right port', 'images.example:80', 'http://images.example/a', undefined],
  ['the right port of https', 'images.example:443', 'https://images.example/a', undefined],
  ['another port', 'images.example:8080', 'http://images.example/a', 'http://plain:3128'],
  ['everything', '*', 'https://images.example/a', undefined],
  ['a network', '10.0.0.0/8', 'http://10.255.1.2/a', undefined],
  ['outside of the network', '10.0.0.0/8', 'http://11.0.0.1/a', 'http://plain:3128'],
  ['a network of IPv6', 'fd00::/8', 'http://[fd00::1]/a', undefined],
  ['a network of the other kind', 'fd00::/8', 'http://10.0.0.1/a', 'http://plain:3128'],
  ['no network', '10.0.0.0/33', 'http://10.0.0.1/a', 'http://plain:3128'],
  ['nothing', ' , ', 'http://images.example/a', 'http://plain:3128'],
];
t.test('of the environment', (t) => {
  for (const [name, noProxy, url, proxy] of rows)
    t.equal(proxiesOf(undefined, { ...PROXIES, NO_PROXY: noProxy })(url), proxy, name);
  t.end();
});

t.test('small letters come first, and an empty variable is none', (t) => {
  const both = { ...PROXIES, http_proxy: 'http://small:1' };
  t.equal(proxiesOf(undefined, both)('http://images.example/'), 'http://small:1');
  t.equal(proxiesOf(undefined, { HTTP_PROXY: '' })('http://images.example/'), undefined);
  t.end();
});

t.test('a configured proxy is for everything', (t) => {
  const proxy = proxiesOf('http://ours:1', { ...PROXIES, NO_PROXY: '*' });
  t.equal(proxy('https://images.example/'), 'http://ours:1');
  t.end();
});
