import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { highestMark, isMark, mergeHighWater } from '../../../src/density/high-water.ts';

const marks = (counts: Record<string, number>) => new Map(Object.entries(counts));

t.test('the higher of both is kept', async (t) => {
  const merged = mergeHighWater(marks({ a: 90, b: 30, c: 5 }), marks({ a: 10, b: 31, d: 0 }));
  t.same(
    [...merged],
    [
      ['a', 90],
      ['b', 31],
      ['c', 5],
      ['d', 0],
    ],
  );
});

t.test('what went in is not changed', async (t) => {
  const before = marks({ a: 1 });
  mergeHighWater(before, marks({ a: 2 }));
  t.same([...before], [['a', 1]]);
});

t.test('counts that cannot be are left out', async (t) => {
  const merged = mergeHighWater(
    marks({ a: 1 }),
    marks({ a: 10_001, b: Number.NaN, c: -1, d: 1.5, __proto_: 3, '': 4 }),
  );
  t.same([...merged], [['a', 1]]);
});

t.test('the highest mark', async (t) => {
  t.equal(highestMark(marks({})), 0);
  t.equal(highestMark(marks({ a: 3, b: 90, c: 10 })), 90);
});

const candidates: readonly (readonly [node: string, pods: unknown, is: boolean])[] = [
  ['worker-1.example.com', 0, true],
  ['worker-1', 10_000, true],
  ['worker-1', 10_001, false],
  ['worker-1', -1, false],
  ['worker-1', '90', false],
  ['worker-1', null, false],
  ['a'.repeat(253), 1, true],
  ['a'.repeat(254), 1, false],
  ['Worker', 1, false],
  ['-worker', 1, false],
  ['worker\n', 1, false],
  ['__proto__', 1, false],
];

t.test('what can be a mark', async (t) => {
  for (const [node, pods, is] of candidates) t.equal(isMark(node, pods), is, `${node} ${pods}`);
});

t.test('no mark ever falls, whatever is counted and in whatever order', async (t) => {
  const counted = fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: -5, max: 300 }))
    .map(marks);
  t.equal(
    fc.defaultReportMessage(
      fc.check(
        fc.property(fc.array(counted), (sweeps) => {
          const after = sweeps.reduce(mergeHighWater, new Map());
          const backwards = sweeps.toReversed().reduce(mergeHighWater, new Map());
          const isUnderNone = sweeps.every((sweep) =>
            [...sweep].every(([node, pods]) => pods < 0 || (after.get(node) ?? -1) >= pods),
          );
          return (
            isUnderNone &&
            isDeepStrictEqual(new Map([...backwards].toSorted()), new Map([...after].toSorted()))
          );
        }),
        { numRuns: 200 },
      ),
    ),
    undefined,
  );
});
