import t from 'tap';
import { forPlatform, kindOf, parseManifest } from '../../../src/source/manifest.ts';

const digest = (byte: string) => `sha256:${byte.repeat(32)}`;
const entry = (architecture: string, byte: string, os = 'linux') => ({
  digest: digest(byte),
  platform: { os, architecture },
});

t.test('kinds of document', (t) => {
  const rows: [string, unknown, string | undefined][] = [
    ['an index', { manifests: [{}] }, 'index'],
    ['an image', { config: {}, layers: [] }, 'image'],
    ['an empty index', { manifests: [] }, undefined],
    ['schema 1', { schemaVersion: 1, fsLayers: [] }, undefined],
    ['an artifact', { subject: {} }, undefined],
    ['no object', [1], undefined],
    ['null', null, undefined],
    ['inherited', JSON.parse('{"__proto__":{"config":{}}}'), undefined],
  ];
  for (const [name, document, wanted] of rows) t.equal(kindOf(document), wanted, name);
  t.end();
});

t.test('the platform', (t) => {
  const both = { manifests: [entry('unknown', '00', 'unknown'), entry('arm64', 'aa'), entry('amd64', 'bb')] };
  const arm = { manifests: [entry('amd64', 'cc', 'windows'), entry('arm64', 'aa')] };
  t.equal(forPlatform(both, 'arm64'), digest('aa'));
  t.equal(forPlatform(both, 'amd64'), digest('bb'));
  t.equal(forPlatform(both, undefined), digest('bb'), 'amd64 where none is asked for');
  t.equal(forPlatform(arm, undefined), digest('aa'), 'else the first of linux');
  t.throws(() => forPlatform(both, 's390x'), { code: 'not-found' });
  t.throws(() => forPlatform(arm, 'amd64'), { code: 'not-found' }, 'another system’s does not count');
  t.throws(() => forPlatform({ manifests: ['x', null, {}] }, undefined), { code: 'not-found' });
  const hostile = { manifests: [{ ...entry('amd64', 'aa'), digest: '../../token' }] };
  t.throws(() => forPlatform(hostile, 'amd64'), { code: 'bad-answer' });
  t.end();
});

t.test('an image’s manifest', (t) => {
  const config = { digest: digest('00'), size: 2 };
  const layer = { digest: digest('aa'), size: 7, mediaType: 'x' };
  t.same(parseManifest({ config, layers: [layer] }), { config, layers: [{ digest: digest('aa'), size: 7 }] });
  t.same(parseManifest({ config }).layers, []);
  const broken: [string, unknown][] = [
    ['no config', { layers: [layer] }],
    ['a digest that is a path', { config, layers: [{ ...layer, digest: 'sha256:../../x' }] }],
    ['no digest', { config, layers: [{ size: 1 }] }],
    ['a size that is text', { config, layers: [{ ...layer, size: '7' }] }],
    ['a negative size', { config, layers: [{ ...layer, size: -1 }] }],
    ['a fraction', { config, layers: [{ ...layer, size: 0.5 }] }],
    ['a size beyond 2^53', { config, layers: [{ ...layer, size: 2 ** 53 }] }],
    ['129 layers', { config, layers: Array(129).fill(layer) }],
  ];
  for (const [name, document] of broken)
    t.throws(() => parseManifest(document), { code: 'bad-answer' }, name);
  t.equal(parseManifest({ config, layers: Array(128).fill(layer) }).layers.length, 128);
  t.end();
});
