import t from 'tap';
import { connectionLimitIn, daemonConfigMapOf } from '../../../src/floor/connection-limit.ts';
import { manifest } from './subject.ts';

t.test('the ConfigMap of each distribution', async (t) => {
  t.equal(daemonConfigMapOf(manifest('multus/upstream-thick')), 'multus-daemon-config');
  t.equal(daemonConfigMapOf(manifest('multus/rke2-thick')), 'rke2-multus-thick-config');
  t.equal(daemonConfigMapOf(manifest('multus/upstream-thin')), null);
  t.equal(daemonConfigMapOf({}), null);
});

t.test('one that is mounted whole', async (t) => {
  const mounting = (configMap: unknown) => ({
    spec: { template: { spec: { volumes: [null, { configMap }] } } },
  });
  t.equal(daemonConfigMapOf(mounting({ name: 'multus-daemon-config' })), 'multus-daemon-config');
  t.equal(daemonConfigMapOf(mounting({ name: 'other' })), null);
  t.equal(daemonConfigMapOf(mounting({ items: [{ key: 'daemon-config.json' }] })), null);
});

const rows: readonly (readonly [name: string, text: unknown, limit: number | null])[] = [
  ['a limit', '{"chrootDir":"/hostroot","connectionLimit":20}', 20],
  ['a limit of one', '{"connectionLimit":1}', 1],
  ['zero', '{"connectionLimit":0}', null],
  ['a negative one', '{"connectionLimit":-5}', null],
  ['a part', '{"connectionLimit":2.5}', null],
  ['text', '{"connectionLimit":"20"}', null],
  ['none', '{"chrootDir":"/hostroot"}', null],
  ['one of the prototype', '{"__proto__":{"connectionLimit":20}}', null],
  ['no JSON', '{', null],
  ['nothing', undefined, null],
];

for (const [name, text, limit] of rows) {
  t.test(`a configuration with ${name}`, async (t) => {
    t.equal(connectionLimitIn({ data: { 'daemon-config.json': text } }), limit);
  });
}
