import fc from 'fast-check';
import t from 'tap';
import { padded, textWidth, wrapped } from '../../../src/report/wrap.ts';

const ROWS = [
  { name: 'fits exactly', text: 'ab cd', width: 5, lines: ['ab cd'] },
  { name: 'one too many', text: 'ab cde', width: 5, lines: ['ab', 'cde'] },
  { name: 'a word longer than a line', text: 'a bcdefgh i', width: 3, lines: ['a', 'bcd', 'efg', 'h i'] },
  { name: 'a pair of surrogates is one column', text: '🚢🚢🚢', width: 2, lines: ['🚢🚢', '🚢'] },
  { name: 'nothing', text: '', width: 5, lines: [''] },
];
for (const { name, text, width, lines } of ROWS)
  t.test(name, (t) => {
    t.same(wrapped(text, width), lines);
    t.end();
  });

t.test('no line is too wide and no letter is lost', (t) => {
  const property = fc.property(fc.string(), fc.integer({ min: 1, max: 40 }), (text, width) => {
    const lines = wrapped(text, width);
    const letters = (text: string) => text.replaceAll(' ', '');
    return lines.every((line) => textWidth(line) <= width) && letters(lines.join('')) === letters(text);
  });
  t.same(fc.check(property).counterexample, null);
  t.end();
});

t.test('padding counts code points and never cuts', (t) => {
  t.equal(padded('🚢', 3), '🚢  ');
  t.equal(padded('abcd', 3), 'abcd');
  t.end();
});
