import fc from 'fast-check';
import t from 'tap';
import { formatForPeople, formatQuantity } from '../../../src/quantity/format.ts';
import { bytesOf, MAX_BYTES, parseQuantity } from '../../../src/quantity/parse.ts';

/** A property that fails is shown with its counterexample. */
function holds<T>(t: { equal: (found: unknown, wanted: unknown) => void }, property: fc.IProperty<T>): void {
  t.equal(fc.defaultReportMessage(fc.check(property)), undefined);
}

t.test('canonical, as resource.NewQuantity(n, BinarySI).String() prints it', (t) => {
  const rows: [bigint, string][] = [
    [0n, '0'],
    [1n, '1'],
    [100n, '100'],
    [1000n, '1k'],
    [1001n, '1001'],
    [1023n, '1023'],
    [1024n, '1Ki'],
    [1025n, '1025'],
    [2000n, '2000'],
    [1048576n, '1Mi'],
    [2684354560n, '2560Mi'],
    [10737418240n, '10Gi'],
    [10000000000n, '9765625Ki'],
    [569083167n, '569083167'],
    [1n << 60n, '1Ei'],
    [MAX_BYTES, '9223372036854775807'],
    [-1024n, '-1Ki'],
    [-1000n, '-1k'],
  ];
  for (const [bytes, text] of rows) t.equal(formatQuantity(bytes), text, `${bytes}`);
  t.end();
});

t.test('for people', (t) => {
  const rows: [string, bigint, string][] = [
    ['nothing', 0n, '0B'],
    ['bytes', 1023n, '1023B'],
    ['a whole unit', 1024n, '1Ki'],
    ['whole Gi', 10737418240n, '10Gi'],
    ['half a Gi', 10200547328n, '9.5Gi'],
    ['a quarter', 1342177280n, '1.25Gi'],
    ['three quarters', 805306368n, '768Mi'],
    ['2560Mi', 2684354560n, '2.5Gi'],
    ['an eighth is told in the unit below', 1207959552n, '1152Mi'],
    ['the most Mi', 104856551424n, '99999Mi'],
    ['one Mi more would be six digits', 104857600000n, '104.9GB'],
    ['too many Ki', 645988352n, '646MB'],
    ['decimal', 1100000000n, '1.1GB'],
    ['two digits under ten', 1138166334n, '1.14GB'],
    ['one digit above', 11381663335n, '11.4GB'],
    ['rounded to the nearest', 10737418241n, '10.7GB'],
    ['rounded into the next unit', 999999999n, '1GB'],
    ['not rounded into the next unit', 999949999n, '999.9MB'],
    ['kilobytes', 1025n, '1.03kB'],
    ['no unit is left', MAX_BYTES, '9.22EB'],
  ];
  for (const [name, bytes, text] of rows) t.equal(formatForPeople(bytes), text, name);
  t.end();
});

const sizes = fc.oneof(
  fc.bigInt({ min: -MAX_BYTES, max: MAX_BYTES }),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 1024n }), fc.integer({ min: 0, max: 50 }))
    .map(([count, shift]) => count << BigInt(shift)),
);

t.test('property: what is formatted reads back as it was', (t) => {
  holds(
    t,
    fc.property(sizes, (bytes) => {
      const back = parseQuantity(formatQuantity(bytes));
      return back.ok && bytesOf(back.quantity) === bytes;
    }),
  );
  t.end();
});

t.test('property: binary units are exact for people too', (t) => {
  holds(
    t,
    fc.property(fc.bigInt({ min: 1024n, max: MAX_BYTES }), (bytes) => {
      const text = formatForPeople(bytes);
      if (!text.endsWith('i')) return text.endsWith('B');
      const back = parseQuantity(text);
      return back.ok && bytesOf(back.quantity) === bytes;
    }),
  );
  t.end();
});
