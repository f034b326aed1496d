import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { highestMark } from '../../../src/density/high-water.ts';
import { decodeMarks, encodeMarks } from '../../../src/density/marks-text.ts';

const LIMIT = 512 * 1024;

t.test('the highest mark first, equal ones by name', async (t) => {
  const text = encodeMarks(
    new Map([
      ['b', 30],
      ['c', 90],
      ['a', 30],
    ]),
  );
  t.equal(text, '{"c":90,"a":30,"b":30}');
  t.equal(
    encodeMarks(
      new Map([
        ['a', 30],
        ['b', 30],
        ['c', 90],
      ]),
    ),
    text,
    'the same marks are the same text',
  );
  t.equal(encodeMarks(new Map()), '{}');
});

t.test('what was written comes back', async (t) => {
  const node = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
  t.equal(
    fc.defaultReportMessage(
      fc.check(
        fc.property(fc.dictionary(node, fc.integer({ min: 0, max: 10_000 })), (counts) => {
          const marks = new Map(Object.entries(counts));
          return isDeepStrictEqual(decodeMarks(encodeMarks(marks)), marks);
        }),
        { numRuns: 100 },
      ),
    ),
    undefined,
  );
});

t.test(
  '5,000 nodes all fit; with too many the lowest marks go, and the text stays in its bounds',
  async (t) => {
    const nodes = (count: number) =>
      new Map(
        Array.from({ length: count }, (_, index) => [
          `${String(index).padStart(6, '0')}-${'n'.repeat(56)}`,
          index % 251,
        ]),
      );
    t.equal(decodeMarks(encodeMarks(nodes(5_000))).size, 5_000);
    const text = encodeMarks(nodes(50_000));
    const kept = decodeMarks(text);
    t.ok(text.length <= LIMIT && text.length > LIMIT - 100);
    t.ok(kept.size > 7_000 && kept.size < 50_000);
    t.equal(highestMark(kept), 250);
    t.equal(Math.min(...kept.values()) > 150, true, 'only low marks were left out');
  },
);

const garbage: readonly (readonly [
  name: string,
  text: unknown,
  marks: readonly (readonly [string, number])[],
])[] = [
  ['nothing', undefined, []],
  ['no text', { a: 1 }, []],
  ['empty', '', []],
  ['no JSON', '{"a":', []],
  ['null', 'null', []],
  ['a list', '[["a",1]]', []],
  ['a number', '90', []],
  [
    'some good, some bad',
    '{"a":1,"b":"2","c":-3,"d":1e9,"e":1.5,"F":6,"g":null,"h":8}',
    [
      ['a', 1],
      ['h', 8],
    ],
  ],
  [
    'a prototype',
    '{"__proto__":{"x":1},"constructor":5,"a":1}',
    [
      ['constructor', 5],
      ['a', 1],
    ],
  ],
  ['too long', `{"a":1${' '.repeat(LIMIT)}}`, []],
];

for (const [name, text, marks] of garbage) {
  t.test(`garbage: ${name}`, async (t) => {
    t.same([...decodeMarks(text)], marks);
  });
}

t.test('any text is read without a fault', async (t) => {
  t.equal(
    fc.defaultReportMessage(
      fc.check(
        fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
          return [...decodeMarks(text).values()].every((pods) => pods >= 0 && pods <= 10_000);
        }),
        { numRuns: 100 },
      ),
    ),
    undefined,
  );
});

t.test('what is no mark is not written', async (t) => {
  t.equal(
    encodeMarks(
      new Map([
        ['"},', 1],
        ['a', Number.POSITIVE_INFINITY],
        ['b', 2],
      ]),
    ),
    '{"b":2}',
  );
});
