import fc from 'fast-check';
import t from 'tap';
import { GiB, MiB, roundUpTo } from '../../../src/quantity/units.ts';
import { DEFAULT_OVERHEAD, parseOverhead, requiredSpace, usableSpace } from '../../../src/volume/overhead.ts';

const NEW = Number(DEFAULT_OVERHEAD.multiply);
const OLD = Number(DEFAULT_OVERHEAD.divide);

t.test('the PVC that CDI makes of a disk size, by both formulas with their defaults', (t) => {
  const rows: [string, bigint, bigint, bigint][] = [
    ['512Mi', 512n * MiB, 569083167n, 568117368n],
    ['1Gi', GiB, 1138166334n, 1136234735n],
    ['2Gi', 2n * GiB, 2276332667n, 2272469469n],
    ['5Gi', 5n * GiB, 5690831668n, 5681173672n],
    ['6Gi', 6n * GiB, 6828998001n, 6817408407n],
    ['10Gi', 10n * GiB, 11381663335n, 11362347344n],
    ['20Gi', 20n * GiB, 22763326669n, 22724694688n],
    ['30Gi', 30n * GiB, 34144990004n, 34087042032n],
    ['50Gi', 50n * GiB, 56908316672n, 56811736720n],
    ['100Gi', 100n * GiB, 113816633344n, 113623473440n],
  ];
  for (const [name, bytes, multiplied, divided] of rows) {
    t.equal(requiredSpace('multiply', NEW, bytes), multiplied, `${name}, new`);
    t.equal(requiredSpace('divide', OLD, bytes), divided, `${name}, old`);
  }
  t.end();
});

t.test('CDI computes in doubles: rows where exact arithmetic is a byte off', (t) => {
  const rows: [string, number, bigint, bigint][] = [
    ['25Gi', 0.1, 25n * GiB, 29527900161n],
    ['45Gi', 0.1, 45n * GiB, 53150220289n],
    ['50Gi', 0.1, 50n * GiB, 59055800321n],
    ['100Gi', 0.1, 100n * GiB, 118111600641n],
    ['465Mi', 0.1, 465n * MiB, 536346625n],
    ['odd bytes', 0.1, 104857599n, 115343361n],
    ['475Mi', 0.07, 475n * MiB, 532938753n],
  ];
  for (const [name, overhead, bytes, required] of rows) {
    const thousandths = BigInt(Math.round(overhead * 1000));
    const exact = (roundUpTo(bytes, MiB) * (1000n + thousandths) + 999n) / 1000n;
    t.equal(requiredSpace('multiply', overhead, bytes), required, name);
    t.equal(exact, required - 1n, `${name}: exact`);
  }
  t.end();
});

t.test('what a filesystem leaves for the disk, in MiB, by both formulas', (t) => {
  const rows: [string, bigint, bigint, bigint][] = [
    ['1Gi', GiB, 966n, 967n],
    ['5Gi', 5n * GiB, 4830n, 4838n],
    ['10Gi', 10n * GiB, 9660n, 9676n],
    ['30Gi', 30n * GiB, 28981n, 29030n],
    ['100Gi', 100n * GiB, 96603n, 96768n],
  ];
  for (const [name, bytes, multiplied, divided] of rows) {
    t.equal(usableSpace('multiply', NEW, bytes), multiplied * MiB, `${name}, new`);
    t.equal(usableSpace('divide', OLD, bytes), divided * MiB, `${name}, old`);
  }
  t.end();
});

t.test('sizes are aligned to MiB before the overhead, and not after', (t) => {
  t.equal(requiredSpace('multiply', 0, 1n), MiB);
  t.equal(requiredSpace('multiply', 0, MiB), MiB);
  t.equal(requiredSpace('multiply', 0, MiB + 1n), 2n * MiB);
  t.equal(requiredSpace('divide', 0, MiB + 1n), 2n * MiB);
  t.equal(requiredSpace('multiply', 0.001, MiB), 1049625n);
  t.equal(usableSpace('multiply', 0, 2n * MiB - 1n), MiB);
  t.equal(usableSpace('divide', 0, MiB - 1n), 0n);
  t.end();
});

t.test('beyond 2^53 the alignment is a double too', (t) => {
  t.equal(requiredSpace('multiply', 0, (1n << 53n) + 1n), 1n << 53n);
  t.equal(requiredSpace('multiply', 0.9, (1n << 53n) + 1n), 17113678584007884n);
  t.end();
});

t.test('an overhead of 1 has an answer in both formulas', (t) => {
  t.equal(requiredSpace('multiply', 1, GiB), 2n * GiB);
  t.equal(usableSpace('multiply', 1, 2n * GiB), GiB);
  t.ok(requiredSpace('divide', 1, GiB) >= 999n * GiB);
  t.ok(usableSpace('divide', 1, 1024n * GiB) > 0n);
  t.end();
});

t.test('overheads as CDI writes them', (t) => {
  const rows: [string, number | null][] = [
    ['0', 0],
    ['1', 1],
    ['0.0', 0],
    ['0.06', 0.06],
    ['0.055', 0.055],
    ['0.0555', null],
    ['0.', null],
    ['.5', null],
    ['1.0', null],
    ['2', null],
    ['-0.1', null],
    ['6%', null],
    ['', null],
    ['0.06\n', null],
    ['NaN', null],
  ];
  for (const [text, overhead] of rows) t.equal(parseOverhead(text), overhead, JSON.stringify(text));
  t.end();
});

t.test('property: the disk fits on the PVC made for it, but for one MiB of rounding', (t) => {
  const property = fc.property(
    fc.constantFrom('multiply' as const, 'divide' as const),
    fc.integer({ min: 0, max: 999 }),
    fc.bigInt({ min: 1n, max: 1n << 45n }),
    (formula, thousandths, bytes) => {
      const overhead = thousandths / 1000;
      const required = requiredSpace(formula, overhead, bytes);
      return required >= bytes && usableSpace(formula, overhead, required) >= roundUpTo(bytes, MiB) - MiB;
    },
  );
  t.equal(fc.defaultReportMessage(fc.check(property)), undefined);
  t.end();
});
