import t from 'tap';
import { decodeWithinLimit } from '../../../src/image/within-limit.ts';

class TooLarge extends Error {
  readonly code = 'ERR_BUFFER_TOO_LARGE';
}

/** A decoder whose output is `lengths[units]` bytes and may be 100. */
function decoder(lengthOf: (units: number) => number) {
  const tried: number[] = [];
  return {
    tried,
    decode(units: number) {
      tried.push(units);
      if (lengthOf(units) > 100) throw new TooLarge();
      return new Uint8Array(lengthOf(units));
    },
  };
}

const rows: readonly (readonly [
  name: string,
  units: number,
  wanted: number,
  lengthOf: (units: number) => number,
  expected: readonly [length: number, units: number],
])[] = [
  ['all fits', 10, 100, (units) => units, [10, 10]],
  ['nothing there', 0, 100, () => 0, [0, 0]],
  ['all but a little fits', 1000, 100, (units) => units, [100, 100]],
  ['a bomb behind a little', 1000, 100, (units) => (units < 40 ? units : 1e9), [39, 39]],
  ['a bomb', 1000, 100, (units) => units * 1032, [0, 0]],
];
for (const [name, units, wanted, lengthOf, [length, fed]] of rows)
  t.test(name, async (t) => {
    const { tried, decode } = decoder(lengthOf);
    const result = decodeWithinLimit(units, wanted, decode);
    t.equal(result.bytes.length, length);
    t.equal(result.units, fed);
    t.ok(tried.length <= 12, `${tried.length} attempts`);
  });

t.test('stops once there is enough', async (t) => {
  const { tried, decode } = decoder((units) => units);
  t.ok(decodeWithinLimit(150, 20, decode).bytes.length >= 20);
  t.same(tried, [150, 75]);
});

t.test('other errors are thrown', async (t) => {
  t.throws(
    () =>
      decodeWithinLimit(1, 1, () => {
        throw new RangeError('other');
      }),
    RangeError,
  );
});
