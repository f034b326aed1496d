import fc from 'fast-check';
import t from 'tap';
import { bytesOf, compareQuantities, MAX_BYTES, parseQuantity } from '../../../src/quantity/parse.ts';
import type { Quantity } from '../../../src/quantity/quantity.ts';

const BYTE = 1_000_000_000n;

function parsed(value: unknown): Quantity {
  const result = parseQuantity(value);
  if (!result.ok) throw new Error(`${String(value)}: ${result.reason}`);
  return result.quantity;
}

/** As ParseQuantity of k8s.io/apimachinery v0.37 reads them. */
const ACCEPTED: readonly (readonly [string, unknown, bigint])[] = [
  ['zero', '0', 0n],
  ['zeros', '000', 0n],
  ['zero with a sign', '-0', 0n],
  ['zero with any exponent', '0e951', 0n],
  ['one', '1', BYTE],
  ['plus', '+1', BYTE],
  ['minus', '-1', -BYTE],
  ['leading zeros', '007', 7n * BYTE],
  ['a fraction', '1.5', 1_500_000_000n],
  ['no digit before the point', '.5', 500_000_000n],
  ['no digit after the point', '5.', 5n * BYTE],
  ['no digit after the point, with a unit', '1.Gi', (1n << 30n) * BYTE],
  ['nano', '1n', 1n],
  ['micro', '1u', 1_000n],
  ['milli', '500m', 500_000_000n],
  ['kilo', '1k', 1_000n * BYTE],
  ['mega', '600M', 600_000_000n * BYTE],
  ['giga', '10G', 10_000_000_000n * BYTE],
  ['tera', '1T', 10n ** 12n * BYTE],
  ['peta', '1P', 10n ** 15n * BYTE],
  ['exa is E alone', '1E', 10n ** 18n * BYTE],
  ['kibi', '1Ki', 1_024n * BYTE],
  ['mebi', '1Mi', (1n << 20n) * BYTE],
  ['gibi', '10Gi', 10_737_418_240n * BYTE],
  ['half a gibi', '0.5Gi', 536_870_912n * BYTE],
  ['tebi', '1Ti', (1n << 40n) * BYTE],
  ['pebi', '1Pi', (1n << 50n) * BYTE],
  ['exbi', '1Ei', (1n << 60n) * BYTE],
  ['a tenth of a kibi keeps its fraction', '0.1Ki', 102_400_000_000n],
  ['exponent', '2e9', 2_000_000_000n * BYTE],
  ['exponent, upper case', '1E3', 1_000n * BYTE],
  ['exponent with plus', '1e+3', 1_000n * BYTE],
  ['exponent with minus', '1e-3', 1_000_000n],
  ['exponent with zeros', '1e003', 1_000n * BYTE],
  ['exponent of which Kubernetes keeps 32 bits', '1e4294967297', 10n * BYTE],
  ['exponent that is the greatest int64', '1e9223372036854775807', 100_000_000n],
  ['less than a nano', '0.1n', 1n],
  ['less than a nano, negative', '-0.1n', -1n],
  ['much less than a nano', '1e-300', 1n],
  ['just over a nano', '1.000000001n', 2n],
  ['binary fraction rounded up', '0.0000000001Ki', 103n],
  ['the greatest int64', '9223372036854775807', MAX_BYTES * BYTE],
  ['one over the greatest int64', '9223372036854775808', MAX_BYTES * BYTE],
  ['8Ei', '8Ei', MAX_BYTES * BYTE],
  ['minus 8Ei', '-8Ei', -MAX_BYTES * BYTE],
  ['a hundred nines', '9'.repeat(100), MAX_BYTES * BYTE],
  ['an exponent of a million', '1e1000000', MAX_BYTES * BYTE],
  ['number', 10737418240, 10_737_418_240n * BYTE],
  ['number with a fraction', 0.5, 500_000_000n],
  ['number that prints with an exponent', 1e21, MAX_BYTES * BYTE],
  ['small number that prints with an exponent', 1e-7, 100n],
  ['negative zero', -0, 0n],
];

const REJECTED: readonly (readonly [string, unknown])[] = [
  ['empty', ''],
  ['only a sign', '-'],
  ['only a point', '.'],
  ['only a unit', 'Gi'],
  ['a point and a unit', '.Gi'],
  ['two signs', '--1'],
  ['two points', '1.2.3'],
  ['inner space', '10 Gi'],
  ['leading space', ' 1'],
  ['trailing space', '1 '],
  ['trailing newline', '1\n'],
  ['hexadecimal', '0x10'],
  ['kilobits', '1Kb'],
  ['upper case kilo', '1K'],
  ['lower case kibi', '1ki'],
  ['lower case gibi', '1gi'],
  ['lower case giga', '1g'],
  ['gibibytes', '1GiB'],
  ['gigabytes', '1GB'],
  ['i alone', '1i'],
  ['milli with i', '1mi'],
  ['lower case exa', '1e'],
  ['exponent without digits', '1e+'],
  ['exponent with a point', '1e1.5'],
  ['exponent and unit', '1e3Gi'],
  ['unit and exponent', '1Gi3'],
  ['exponent over an int64', '1e9223372036854775808'],
  ['exponent of a thousand digits', `1e${'9'.repeat(1000)}`],
  ['comma', '1,5Gi'],
  ['underscore', '1_000'],
  ['not a number', 'NaN'],
  ['infinity', 'Inf'],
  ['digits of another script', '١'],
  ['number NaN', Number.NaN],
  ['number Infinity', Number.POSITIVE_INFINITY],
  ['null', null],
  ['undefined', undefined],
  ['boolean', true],
  ['object', { toString: () => '1' }],
  ['list', ['1']],
];

/** A property that fails is shown with its counterexample. */
function holds<T>(t: { equal: (found: unknown, wanted: unknown) => void }, property: fc.IProperty<T>): void {
  t.equal(fc.defaultReportMessage(fc.check(property)), undefined);
}

t.test('accepted', (t) => {
  for (const [name, value, nanos] of ACCEPTED) t.equal(parsed(value).nanos, nanos, name);
  t.end();
});

t.test('rejected, with a reason that does not repeat the text', (t) => {
  for (const [name, value] of REJECTED) {
    const result = parseQuantity(value);
    t.equal(result.ok, false, name);
    if (!result.ok) t.match(result.reason, /^it|^its/, name);
  }
  t.end();
});

t.test('a text of millions of digits costs little and reads right', (t) => {
  const long = 3_000_000;
  t.equal(parsed(`${'0'.repeat(long)}1Gi`).nanos, (1n << 30n) * BYTE, 'zeros in front');
  t.equal(parsed(`1.${'0'.repeat(long)}Gi`).nanos, (1n << 30n) * BYTE, 'zeros behind');
  t.equal(parsed(`1.${'0'.repeat(long)}1Gi`).nanos, (1n << 30n) * BYTE + 1n, 'a last digit is a nano more');
  t.equal(parsed('9'.repeat(long)).nanos, MAX_BYTES * BYTE, 'capped');
  t.equal(parsed(`0.${'0'.repeat(long)}9`).nanos, 1n, 'next to nothing');
  t.equal(parsed(`${'1'.padEnd(long, '0')}e-${long - 1}`).nanos, BYTE, 'undone by the exponent');
  t.equal(parseQuantity(`${'9'.repeat(long)}x`).ok, false, 'rejected');
  t.end();
});

t.test('the text is kept while it is short', (t) => {
  t.equal(parsed('+0.50Gi').text, '+0.50Gi');
  t.equal(parsed(1e21).text, '1e+21');
  t.equal(parsed('1'.padStart(64, '0')).text, '1'.padStart(64, '0'), '64 characters');
  t.equal(parsed('1'.padStart(65, '0')).text, '1000000000n', '65 characters');
  t.end();
});

t.test('whole bytes, rounded up', (t) => {
  const rows: [string, bigint][] = [
    ['0', 0n],
    ['1n', 1n],
    ['500m', 1n],
    ['1', 1n],
    ['1000m', 1n],
    ['1001m', 2n],
    ['0.1Ki', 103n],
    ['1e3', 1000n],
    ['-500m', -1n],
    ['10G', 10_000_000_000n],
    ['8Ei', MAX_BYTES],
  ];
  for (const [text, bytes] of rows) t.equal(bytesOf(parsed(text)), bytes, text);
  t.end();
});

t.test('order', (t) => {
  const rows: [string, string, number][] = [
    ['10G', '10Gi', -1],
    ['2G', '2Gi', -1],
    ['600M', '600Mi', -1],
    ['1024Mi', '1Gi', 0],
    ['1000m', '1', 0],
    ['1.5Gi', '1536Mi', 0],
    ['500m', '0', 1],
    ['-1', '0', -1],
    ['1E', '1e18', 0],
  ];
  for (const [a, b, order] of rows) {
    t.equal(compareQuantities(parsed(a), parsed(b)), order, `${a} and ${b}`);
    t.equal(compareQuantities(parsed(b), parsed(a)), order === 0 ? 0 : -order, `${b} and ${a}`);
  }
  t.end();
});

const SUFFIXES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  n: [1n, BYTE],
  u: [1n, 1_000_000n],
  m: [1n, 1_000n],
  '': [1n, 1n],
  k: [1_000n, 1n],
  M: [1_000_000n, 1n],
  G: [1_000_000_000n, 1n],
  Ki: [1n << 10n, 1n],
  Mi: [1n << 20n, 1n],
  Gi: [1n << 30n, 1n],
};

/** A text with at most nine decimal places, so that nothing is rounded, with its exact value as a fraction. */
const exact = fc
  .record({
    negative: fc.boolean(),
    integer: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    fraction: fc.stringMatching(/^[0-9]{0,9}$/),
    suffix: fc.constantFrom('', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi'),
  })
  .map(({ negative, integer, fraction, suffix }) => {
    const [numerator, denominator] = SUFFIXES[suffix] ?? [1n, 1n];
    const value = BigInt(`${integer}${fraction}`) * numerator * (negative ? -1n : 1n);
    return {
      text: `${negative ? '-' : ''}${integer}.${fraction}${suffix}`,
      value,
      over: denominator * 10n ** BigInt(fraction.length),
    };
  });

t.test('property: the order agrees with exact fractions', (t) => {
  holds(
    t,
    fc.property(exact, exact, (a, b) => {
      const difference = a.value * b.over - b.value * a.over;
      const order = difference < 0n ? -1 : difference > 0n ? 1 : 0;
      return compareQuantities(parsed(a.text), parsed(b.text)) === order;
    }),
  );
  t.end();
});

t.test('property: the value is the exact one, rounded up to a nano', (t) => {
  const texts = fc.tuple(
    fc.bigInt({ min: 0n, max: 10n ** 6n }),
    fc.stringMatching(/^[0-9]{0,30}$/),
    fc.constantFrom(...Object.keys(SUFFIXES)),
  );
  holds(
    t,
    fc.property(texts, ([integer, fraction, suffix]) => {
      const [numerator, denominator] = SUFFIXES[suffix] ?? [1n, 1n];
      const value = BigInt(`${integer}${fraction}`) * numerator * BYTE;
      const over = denominator * 10n ** BigInt(fraction.length);
      const { nanos } = parsed(`${integer}.${fraction}${suffix}`);
      return nanos * over >= value && (nanos - 1n) * over < value;
    }),
  );
  t.end();
});

t.test('property: whatever comes in, it answers', (t) => {
  holds(
    t,
    fc.property(fc.anything(), (value) => typeof parseQuantity(value).ok === 'boolean'),
  );
  holds(
    t,
    fc.property(fc.string(), (value) => typeof parseQuantity(value).ok === 'boolean'),
  );
  t.end();
});
