import t from 'tap';
import { GiB, KiB, MiB, roundDownTo, roundUpTo } from '../../../src/quantity/units.ts';

t.test('binary units', (t) => {
  t.same([KiB, MiB, GiB], [1024n, 1048576n, 1073741824n]);
  t.end();
});

t.test('rounding, on both sides of a multiple', (t) => {
  const rows: [string, bigint, bigint, bigint][] = [
    ['nothing', 0n, 0n, 0n],
    ['one', 1n, MiB, 0n],
    ['one under', MiB - 1n, MiB, 0n],
    ['a multiple', MiB, MiB, MiB],
    ['one over', MiB + 1n, 2n * MiB, MiB],
    ['beyond 2^53', (1n << 60n) + 1n, (1n << 60n) + MiB, 1n << 60n],
  ];
  for (const [name, bytes, up, down] of rows) {
    t.equal(roundUpTo(bytes, MiB), up, `${name}, up`);
    t.equal(roundDownTo(bytes, MiB), down, `${name}, down`);
  }
  t.end();
});
