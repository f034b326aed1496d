import fc from 'fast-check';
import t from 'tap';
import type { ByteRange } from '../../../src/bytes/range.ts';
import { Blocks } from '../../../src/source/blocks.ts';
import { pattern } from '../../fixtures/source/loopback.ts';

const FILE = pattern(1000);
const END = 1000n;

function reader(blocks: Blocks, end: bigint | null = END) {
  const asked: [number, number][] = [];
  const read = (offset: number, length: number, affordable = 1e6) =>
    blocks.read({ offset: BigInt(offset), length }, end, affordable, async (range: ByteRange) => {
      const at = Number(range.offset);
      asked.push([at, range.length]);
      return FILE.subarray(at, at + range.length);
    });
  return { asked, read };
}

t.test('what is missing is fetched in whole blocks', async (t) => {
  const rows: [string, [number, number][], [number, number][]][] = [
    ['within one', [[70, 10]], [[64, 64]]],
    [
      'the same again',
      [
        [70, 10],
        [64, 64],
      ],
      [[64, 64]],
    ],
    ['two blocks at once', [[100, 100]], [[64, 192]]],
    [
      'the next one',
      [
        [70, 10],
        [120, 20],
      ],
      [
        [64, 64],
        [128, 64],
      ],
    ],
    [
      'held is the middle',
      [
        [128, 64],
        [100, 200],
      ],
      [
        [128, 64],
        [64, 256],
      ],
    ],
    ['cut at the end', [[990, 10]], [[960, 40]]],
    ['nothing asked', [[70, 0]], []],
  ];
  for (const [name, reads, wanted] of rows) {
    const { asked, read } = reader(new Blocks(64));
    for (const [offset, length] of reads)
      t.same(await read(offset, length), Buffer.from(FILE.subarray(offset, offset + length)), name);
    t.same(asked, wanted, name);
  }
});

t.test('where a block is not affordable, the bytes themselves', async (t) => {
  const { asked, read } = reader(new Blocks(64));
  await read(70, 10, 64);
  await read(200, 10, 63);
  t.same(asked, [
    [64, 64],
    [200, 10],
  ]);
});

t.test('a prefix that is no whole block is not fetched again', async (t) => {
  const blocks = new Blocks(64);
  blocks.hold(0n, FILE.subarray(0, 70));
  blocks.hold(500n, new Uint8Array(0));
  const { asked, read } = reader(blocks);
  t.same(await read(60, 20), Buffer.from(FILE.subarray(60, 80)));
  t.same(asked, [[70, 58]]);
});

t.test('the end shows in fewer bytes, where the length is unknown', async (t) => {
  const { read } = reader(new Blocks(64), null);
  t.same(await read(990, 100), Buffer.from(FILE.subarray(990)));
  t.equal((await read(1000, 10)).length, 0);
  t.equal((await read(5000, 10)).length, 0);
});

t.test('reads in any order give the bytes of the file', async (t) => {
  const reads = fc.array(fc.tuple(fc.nat(999), fc.integer({ min: 1, max: 300 }), fc.nat(300)), {
    maxLength: 12,
  });
  const property = fc.asyncProperty(reads, fc.nat(200), async (reads, prefix) => {
    const blocks = new Blocks(64);
    blocks.hold(0n, FILE.subarray(0, prefix));
    const { read } = reader(blocks);
    for (const [offset, length, affordable] of reads) {
      const within = Math.min(length, 1000 - offset);
      const found = await read(offset, within, affordable);
      if (!Buffer.from(found).equals(FILE.subarray(offset, offset + within))) return false;
    }
    return true;
  });
  t.notOk((await fc.check(property, { numRuns: 200 })).failed);
});
