import fc from 'fast-check';
import t from 'tap';
import { printable, printableReport } from '../../../src/report/printable.ts';
import { MIXED } from '../../fixtures/report/mixed.ts';

const ROWS = [
  { name: 'plain text', text: 'DataVolume images/debian-12', expected: 'DataVolume images/debian-12' },
  { name: 'other scripts and emoji', text: 'größer 大きい 🚢', expected: 'größer 大きい 🚢' },
  { name: 'line breaks become one space', text: 'a\r\n\tb\u2028c\u0085d', expected: 'a b c d' },
  {
    name: 'escape sequences lose their escape',
    text: '\u001b[31mred\u009bm',
    expected: '\uFFFD[31mred\uFFFDm',
  },
  { name: 'NUL and DEL', text: '\u0000\u007f', expected: '\uFFFD\uFFFD' },
  {
    name: 'overrides of the reading direction',
    text: '\u202egpj.exe\u2069',
    expected: '\uFFFDgpj.exe\uFFFD',
  },
  { name: 'invisible characters', text: 'a\u200bb\ufeff', expected: 'a\uFFFDb\uFFFD' },
  { name: 'half a surrogate pair', text: 'a\ud83d', expected: 'a\uFFFD' },
  { name: 'noncharacters that XML forbids', text: '\uFFFE\uFFFF', expected: '\uFFFD\uFFFD' },
];

for (const { name, text, expected } of ROWS)
  t.test(name, (t) => {
    t.equal(printable(text), expected);
    t.end();
  });

t.test('any text comes out well-formed, on one line, and unchanged the second time', (t) => {
  const property = fc.property(fc.string({ unit: 'binary' }), (text) => {
    const clean = printable(text);
    return clean.isWellFormed() && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(clean) && printable(clean) === clean;
  });
  t.same(fc.check(property).counterexample, null);
  t.end();
});

t.test('every text of a report is made printable', (t) => {
  const bad = '\u001b]';
  const dirty = {
    ...MIXED,
    density: { pods: 1, origin: bad },
    curves: [{ target: bad, points: [] }],
    results: [
      {
        ...MIXED.results[0]!,
        rule: bad,
        resource: { apiVersion: bad, kind: bad, namespace: bad, name: bad, uid: bad },
        field: bad,
        message: bad,
        properties: { [bad]: bad },
        file: bad,
      },
    ],
  };
  const texts = JSON.stringify(printableReport(dirty), (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  t.notMatch(texts, /u001b/);
  t.equal(texts.match(/\uFFFD\]/g)?.length, 13);
  t.end();
});

t.test('a clean report is left as it is', (t) => {
  t.same(printableReport(MIXED), MIXED);
  t.end();
});
