import t from 'tap';
import { ByteView } from '../../../src/bytes/view.ts';
import { type DiskFacts, disk } from '../../../src/image/format.ts';
import type { ImageFacts, Reading } from '../../../src/image/image.ts';
import { unwrap } from '../../../src/image/unwrap.ts';
import {
  type ContentSize,
  UnreachableBytesError,
  WRAPPER_LIMITS,
  type Wrapper,
} from '../../../src/image/wrapper.ts';
import { noise } from '../../fixtures/image/noise.ts';
import { runReading } from '../../fixtures/image/run.ts';

const PREFIX = 65_536;
const RAW: DiskFacts = {
  format: 'raw',
  virtualSize: null,
  virtualSizeAtLeast: 1n,
  allocatedSize: null,
  defects: [],
};

/** A wrapper whose content is the file itself, `factor` bytes of it in one; it breaks at the byte `breaksAt`. */
function wrapper(
  options: { factor?: number; breaksAt?: number; size?: ContentSize } = {},
): Wrapper & { readonly inputs: number[] } {
  const { factor = 1, breaksAt = Number.POSITIVE_INFINITY, size = { kind: 'unknown' } } = options;
  const inputs: number[] = [];
  return {
    name: 'xz',
    inputs,
    recognise: () => true,
    decompress(input, complete) {
      inputs.push(input.length);
      if (input.length > breaksAt) return { kind: 'broken', detail: 'made to break' };
      const length = Math.min(input.length * factor, WRAPPER_LIMITS.maxOutput);
      const ended = complete && input.length * factor <= WRAPPER_LIMITS.maxOutput;
      return { kind: 'bytes', bytes: new Uint8Array(length).fill(7), ended };
    },
    // biome-ignore lint/correctness/useYield: a Reading that needs no bytes
    *contentSize() {
      return size;
    },
  };
}

/** A reading that asks for these ranges, notes what it gets, and says it is this disk. */
function* asking(
  ranges: readonly (readonly [offset: bigint, length: number])[],
  got: (number | string)[],
  facts: DiskFacts = disk('vdi', 512n),
): Reading<ImageFacts> {
  for (const [offset, length] of ranges)
    try {
      got.push((yield { offset, length }).length);
    } catch (error) {
      got.push((error as UnreachableBytesError).code);
    }
  return { ...facts, wrappers: [] };
}

function run(
  kind: Wrapper,
  file: Uint8Array,
  inner: Reading<ImageFacts>,
  storedSize: bigint | null = BigInt(file.length),
) {
  const prefix = new ByteView(file.subarray(0, PREFIX));
  return runReading(unwrap(kind, prefix, { storedSize, map: false }, inner), file);
}

t.test('what the prefix decompresses to costs no request', async (t) => {
  const got: (number | string)[] = [];
  const { value, requests } = run(wrapper(), noise(100_000), asking([[0n, 65_536]], got));
  t.same(got, [65_536]);
  t.same(requests, []);
  t.same([value.format, value.wrappers, value.virtualSize], ['vdi', ['xz'], 512n]);
});

t.test('more input is asked for by doubling', async (t) => {
  const got: (number | string)[] = [];
  const { requests } = run(wrapper(), noise(1 << 20), asking([[200_000n, 100]], got));
  t.same(got, [100]);
  t.same(requests, [
    { offset: 65_536n, length: 65_536 },
    { offset: 131_072n, length: 131_072 },
  ]);
});

t.test('fewer bytes than asked for only at the content’s end', async (t) => {
  const got: (number | string)[] = [];
  run(
    wrapper(),
    noise(70_000),
    asking(
      [
        [69_990n, 100],
        [70_000n, 1],
        [1n << 40n, 1],
      ],
      got,
    ),
  );
  t.same(got, [10, 0, 0]);
});

t.test('the end is found where the length of the file is unknown', async (t) => {
  const got: (number | string)[] = [];
  run(wrapper(), noise(70_000), asking([[69_990n, 100]], got), null);
  t.same(got, [10]);
});

t.test('bytes past the limits are out of reach, and the reading goes on', async (t) => {
  const got: (number | string)[] = [];
  const limit = BigInt(WRAPPER_LIMITS.maxOutput);
  const file = noise(3 << 20);
  const { requests } = run(
    wrapper(),
    file,
    asking(
      [
        [limit - 1n, 1],
        [limit - 1n, 2],
        [0n, 5],
      ],
      got,
    ),
  );
  t.same(got, [1, 'unreachable-bytes', 5]);
  const last = requests.at(-1)!;
  t.equal(last.offset + BigInt(last.length), BigInt(WRAPPER_LIMITS.maxInput));
});

t.test('broken at once, and later on', async (t) => {
  const rows: [name: string, breaksAt: number][] = [
    ['at once', 0],
    ['later on', 100_000],
  ];
  for (const [name, breaksAt] of rows) {
    let ended = false;
    function* inner(): Reading<ImageFacts> {
      try {
        return yield* asking(
          [
            [0n, 512],
            [120_000n, 5],
          ],
          [],
        );
      } finally {
        ended = true;
      }
    }
    const { value } = run(wrapper({ breaksAt }), noise(300_000), inner());
    t.same([value.format, value.virtualSize, value.wrappers], ['unknown', null, ['xz']], name);
    t.same(value.defects, [{ code: 'broken-wrapper', detail: 'made to break' }]);
    t.equal(ended, true, 'the inner reading is ended');
  }
});

const sizes: readonly (readonly [name: string, size: ContentSize, expected: Partial<ImageFacts>])[] = [
  ['exact', { kind: 'exact', bytes: 5_000_001n }, { virtualSize: 5_000_192n, virtualSizeAtLeast: null }],
  [
    'at least',
    { kind: 'at-least', bytes: 5_000_000n },
    { virtualSize: null, virtualSizeAtLeast: 5_000_000n },
  ],
  ['at least less than seen', { kind: 'at-least', bytes: 5n }, { virtualSizeAtLeast: 65_536n }],
  ['unknown', { kind: 'unknown' }, { virtualSize: null, virtualSizeAtLeast: 65_536n }],
  [
    'broken',
    { kind: 'broken', detail: 'x' },
    { virtualSize: null, defects: [{ code: 'broken-wrapper', detail: 'x' }] },
  ],
];
for (const [name, size, expected] of sizes)
  t.test(`V of raw content: ${name}`, async (t) => {
    const { value } = run(wrapper({ size }), noise(100_000), asking([[0n, 65_536]], [], RAW));
    t.match(value, expected);
  });

t.test('V of raw content that was wholly seen', async (t) => {
  const { value } = run(wrapper(), noise(1000), asking([[0n, 65_536]], [], RAW));
  t.equal(value.virtualSize, 1024n);
});

t.test(
  'what a file says of its content is nothing to a disk of known size, or to one wrapped again',
  async (t) => {
    const size = { kind: 'exact', bytes: 999n } as const;
    const known = run(wrapper({ size }), noise(100_000), asking([[0n, 1]], [], disk('raw', 512n)));
    t.equal(known.value.virtualSize, 512n);
    const twice = (function* (): Reading<ImageFacts> {
      yield { offset: 0n, length: 1 };
      return { ...RAW, wrappers: ['gz'] };
    })();
    const { value } = run(wrapper({ size }), noise(100_000), twice);
    t.same([value.virtualSize, value.wrappers], [null, ['xz', 'gz']]);
  },
);

t.test('a file that is itself out of reach', async (t) => {
  const got: (number | string)[] = [];
  const prefix = new ByteView(noise(PREFIX));
  const reading = unwrap(wrapper(), prefix, { storedSize: null, map: false }, asking([[70_000n, 1]], got));
  t.same(reading.next().value, { offset: 65_536n, length: 65_536 });
  const end = reading.throw(new UnreachableBytesError());
  t.equal(end.done, true);
  t.same(got, ['unreachable-bytes']);
});
