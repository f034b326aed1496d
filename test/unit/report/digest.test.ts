import fc from 'fast-check';
import t from 'tap';
import { digest } from '../../../src/report/digest.ts';

// Computed by another implementation of 64-bit FNV-1a, over the texts on the right.
const ROWS = [
  { name: 'nothing', parts: [], expected: 'cbf29ce484222325' },
  { name: '1:a', parts: ['a'], expected: '45540418180aba49' },
  { name: '1:é in UTF-8', parts: ['é'], expected: 'da95d8f0dc02261e' },
  { name: '1:a2:bc', parts: ['a', 'bc'], expected: '55669b0488b5662e' },
];
for (const { name, parts, expected } of ROWS)
  t.test(name, (t) => {
    t.equal(digest(...parts), expected);
    t.end();
  });

t.test('tells apart where one part ends and the next starts', (t) => {
  const property = fc.property(
    fc.string(),
    fc.string({ minLength: 1 }),
    (a, b) => digest(a, b) !== digest(a + b, ''),
  );
  t.same(fc.check(property).counterexample, null);
  t.end();
});
