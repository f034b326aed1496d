import t from 'tap';
import { parseConfiguration } from '../../../src/config/parse.ts';
import { settingsOf } from '../../../src/config/settings.ts';
import { lookOptionsOf } from '../../../src/evaluate/look-options.ts';
import { SourceError } from '../../../src/source/source.ts';

const HEAD = 'apiVersion: plimsoll.dev/v1alpha1\nkind: Configuration\n';

const outside = {
  open: async () => {
    throw new SourceError('unsupported');
  },
  resolve: async () => [],
  now: () => 0,
  version: '1.2.3',
};

const optionsOf = (yaml: string) => lookOptionsOf(settingsOf(parseConfiguration(HEAD + yaml)), outside);

t.test('every setting of a look arrives', (t) => {
  const options = optionsOf(`probe:
  addresses: { mode: allowlist, allow: [images.example] }
  timeoutMilliseconds: 1
  connectTimeoutMilliseconds: 2
  idleTimeoutMilliseconds: 3
  maxRequests: 4
  maxBytes: 5Ki
  registryMaxBytes: 6Ki
  maxRedirects: 6
  concurrency: 7
  concurrencyPerHost: 8
  queue: 9
  cache: { entries: 10, ttlSeconds: 11, failureTtlSeconds: 12 }
  proxy: http://proxy.example
`);
  t.match(options, {
    enabled: true,
    context: {
      addresses: { mode: 'allowlist', allow: ['images.example'] },
      budget: { maxRequests: 4, maxBytes: 5120, maxRedirects: 6 },
      userAgent: 'plimsoll/1.2.3',
      connectTimeoutMs: 2,
      idleTimeoutMs: 3,
    },
    registryMaxBytes: 6144,
    timeoutMs: 1,
    limits: { all: 7, perKey: 8, queue: 9 },
    cache: { entries: 10, ttlMs: 11_000, failureTtlMs: 12_000 },
  });
  t.equal(options.proxyFor('https://images.example/'), 'http://proxy.example');
  t.end();
});

t.test('off permits nothing, be it that something looked all the same', (t) => {
  const { enabled, context } = optionsOf('probe: { addresses: { mode: "off" } }');
  t.equal(enabled, false);
  t.same(context.addresses, { mode: 'allowlist', allow: [] });
  t.end();
});

t.test('without a proxy there is none', (t) => {
  t.equal(optionsOf('').proxyFor('https://images.example/'), undefined);
  t.end();
});
