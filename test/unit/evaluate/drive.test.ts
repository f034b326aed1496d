import t from 'tap';
import type { ByteRange } from '../../../src/bytes/range.ts';
import type { ByteSource } from '../../../src/bytes/source.ts';
import { driveReading } from '../../../src/evaluate/drive.ts';
import type { Reading } from '../../../src/image/image.ts';

const BYTES = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);

interface Asked {
  readonly source: ByteSource;
  readonly ranges: [offset: number, length: number][];
}

/** A source over BYTES that notes what it is asked for; `cut` is the most that it gives at once. */
function source(options: { size?: bigint | null; cut?: number; failAt?: number } = {}): Asked {
  const { size = 1000n, cut = 1000, failAt } = options;
  const ranges: [number, number][] = [];
  return {
    ranges,
    source: {
      size,
      identity: null,
      cost: { bytesRead: 0, requests: 0 },
      async read({ offset, length }: ByteRange) {
        ranges.push([Number(offset), length]);
        if (ranges.length === failAt) throw Object.assign(new Error('refused'), { code: 'over-budget' });
        return BYTES.subarray(Number(offset), Number(offset) + Math.min(length, cut));
      },
      close() {
        throw new Error('not the driver’s to close');
      },
    },
  };
}

/** Asks for these ranges and returns what it got. */
function* asking(...ranges: readonly (readonly [number, number])[]): Reading<number[][]> {
  const got: number[][] = [];
  for (const [offset, length] of ranges) got.push([...(yield { offset: BigInt(offset), length })]);
  return got;
}

const slice = (offset: number, length: number) => [...BYTES.subarray(offset, offset + length)];

const rows: readonly (readonly [
  name: string,
  options: Parameters<typeof source>[0],
  asked: readonly (readonly [number, number])[],
  fetched: readonly (readonly [number, number])[],
])[] = [
  [
    'apart',
    {},
    [
      [0, 10],
      [20, 5],
    ],
    [
      [0, 10],
      [20, 5],
    ],
  ],
  [
    'inside of what was read',
    {},
    [
      [0, 100],
      [10, 90],
      [0, 1],
      [99, 1],
    ],
    [[0, 100]],
  ],
  [
    'the same again',
    {},
    [
      [300, 10],
      [300, 10],
    ],
    [[300, 10]],
  ],
  [
    'beginning in what was read',
    {},
    [
      [0, 100],
      [90, 20],
    ],
    [
      [0, 100],
      [100, 10],
    ],
  ],
  [
    'right behind it',
    {},
    [
      [0, 100],
      [100, 20],
    ],
    [
      [0, 100],
      [100, 20],
    ],
  ],
  [
    'ending in it',
    {},
    [
      [50, 100],
      [0, 100],
    ],
    [
      [50, 100],
      [0, 100],
    ],
  ],
  [
    'past the end',
    {},
    [
      [1000, 10],
      [5000, 1],
    ],
    [],
  ],
  ['across the end', {}, [[990, 20]], [[990, 10]]],
  [
    'across an end that is unknown',
    { size: null },
    [
      [990, 20],
      [999, 5],
      [1000, 7],
    ],
    [[990, 20]],
  ],
  ['nothing', {}, [[5, 0]], []],
  [
    'in short reads',
    { cut: 4 },
    [
      [0, 10],
      [3, 2],
    ],
    [
      [0, 10],
      [4, 6],
      [8, 2],
    ],
  ],
  ['in short reads of unknown length, which are the end', { size: null, cut: 4 }, [[0, 10]], [[0, 10]]],
  [
    'of a file shorter than it said',
    { size: 1010n },
    [
      [995, 15],
      [1000, 3],
    ],
    [
      [995, 15],
      [1000, 10],
    ],
  ],
];
for (const [name, options, asked, fetched] of rows)
  t.test(name, async (t) => {
    const { source: bytes, ranges } = source(options);
    const got = await driveReading(asking(...asked), bytes);
    if (options?.cut === undefined || options.size !== null)
      t.same(
        got,
        asked.map(([offset, length]) => slice(offset, length)),
      );
    t.same(ranges, fetched);
  });

t.test('a reading that asks for nothing', async (t) => {
  t.same(await driveReading(asking(), source().source), []);
});

t.test('what the source throws is thrown, and the reading is ended', async (t) => {
  let ended = false;
  function* reading(): Reading<void> {
    try {
      yield { offset: 0n, length: 1 };
      yield { offset: 500n, length: 1 };
    } finally {
      ended = true;
    }
  }
  await t.rejects(driveReading(reading(), source({ failAt: 2 }).source), { code: 'over-budget' });
  t.equal(ended, true);
});

t.test('what the reading throws is thrown', async (t) => {
  // biome-ignore lint/correctness/useYield: it fails before it asks
  function* reading(): Reading<void> {
    throw new RangeError('of its own');
  }
  await t.rejects(driveReading(reading(), source().source), RangeError);
});

t.test('bytes are kept up to a bound, the first read in any case', async (t) => {
  const length = 3 << 20;
  const ranges: number[] = [];
  const huge: ByteSource = {
    ...source().source,
    size: 1n << 40n,
    async read(range) {
      ranges.push(Number(range.offset));
      return new Uint8Array(range.length);
    },
  };
  function* reading(): Reading<void> {
    yield { offset: 0n, length };
    yield { offset: 1n << 30n, length };
    yield { offset: 1n << 30n, length: 1 };
    yield { offset: 5n, length: 1 };
  }
  await driveReading(reading(), huge);
  t.same(ranges, [0, 1 << 30, 1 << 30]);
});
