import t from 'tap';
import { parseChallenge } from '../../../src/source/challenge.ts';

t.test('challenges', (t) => {
  const bearer = (realm: string, service?: string) => ({ scheme: 'bearer', realm, service });
  const rows: [string | undefined, unknown][] = [
    ['Bearer realm="https://a/token",service="a"', bearer('https://a/token', 'a')],
    ['bearer realm="https://a/token", service="a, b",scope="x:y:z"', bearer('https://a/token', 'a, b')],
    ['Bearer realm="https://a/token"', bearer('https://a/token')],
    ['Bearer service=a,realm=https://a/token', bearer('https://a/token', 'a')],
    ['Bearer REALM = "https://a/token"', bearer('https://a/token')],
    ['Bearer realm="a\\"b"', bearer('a"b')],
    ['Bearer realm="one",realm="two"', bearer('one')],
    ['Basic realm="x", Bearer realm="https://a/token"', bearer('https://a/token')],
    ['Bearer service="a"', undefined],
    ['Basic realm="x"', { scheme: 'basic' }],
    ['BASIC', { scheme: 'basic' }],
    ['Basically', undefined],
    ['Digest realm="basic"', undefined],
    ['Negotiate', undefined],
    ['', undefined],
    [undefined, undefined],
  ];
  for (const [header, wanted] of rows) t.same(parseChallenge(header), wanted, header ?? 'none');
  t.end();
});
