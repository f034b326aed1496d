import t from 'tap';
import { connectionLimitIn } from '../../../src/floor/connection-limit.ts';

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
