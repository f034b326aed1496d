import { gzipSync, zstdCompressSync } from 'node:zlib';
import t from 'tap';
import type { ByteRange } from '../../src/bytes/range.ts';
import { PREFIX_LENGTH } from '../../src/image/format.ts';
import { DEFECTS, type ImageFacts, type ProbeOptions } from '../../src/image/image.ts';
import { MAP_LIMITS } from '../../src/image/qcow2-map.ts';
import { readImage } from '../../src/image/read.ts';
import { WRAPPER_LIMITS } from '../../src/image/wrapper.ts';
import { xzContentSize } from '../../src/image/xz-index.ts';
import { FileBytes } from '../fixtures/image/file.ts';
import { noise, prose } from '../fixtures/image/noise.ts';
import { COMPRESSED, DATA, qcow2Image, ZERO } from '../fixtures/image/qcow2.ts';
import { SAMPLES } from '../fixtures/image/samples.ts';
import { signVhdx, VHDX_LAYOUT, vhdxImage } from '../fixtures/image/vhdx.ts';
import { vpcImage } from '../fixtures/image/vpc.ts';
import { storedLzma2, xzFile, xzStream } from '../fixtures/image/xz.ts';
import { XZ_FILES } from '../fixtures/image/xz-files.ts';

/** Inputs in all, and where their sequence starts: `FUZZ_INPUTS=5000000 FUZZ_SEED=7 npm run test:fuzz`. */
const INPUTS = Number(process.env.FUZZ_INPUTS ?? 210_000);
const SEED = Number(process.env.FUZZ_SEED ?? 1);

/** What a reading may ask for without the map: every parser's reads, and every wrapper's input. Bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_REQUESTS = 40;
const MAX_RANGE = 2 * 1024 * 1024;

/** xorshift32, whole numbers below `bound`. */
class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }
  below(bound: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % bound;
  }
  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const NUMBERS = [0n, 1n, 2n, 511n, 512n, 0xffffn, 0x7fff_ffffn, 0xffff_ffffn, 1n << 32n, 1n << 40n];
const HUGE = [(1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n, (1n << 64n) - 512n];

/** Changes a few bytes, fields or lengths; sometimes cuts the end off. The seed stays as it is. */
function mutate(seed: Uint8Array, dice: Dice): Uint8Array {
  const file = new FileBytes(seed.length).put(0, seed);
  for (let changes = 1 + dice.below(4); changes > 0; changes--) {
    const near = Math.min(seed.length, dice.of([64, 128, 600, seed.length]));
    const at = dice.below(near);
    const room = seed.length - at;
    const number = dice.of([...NUMBERS, ...HUGE]);
    switch (dice.below(5)) {
      case 0:
        file.u8(at, dice.below(256));
        break;
      case 1:
        file.u8(at, file.bytes[at]! ^ (1 << dice.below(8)));
        break;
      case 2:
        if (room >= 4) file.u32be(at, Number(number & 0xffff_ffffn));
        break;
      case 3:
        if (room >= 8) file.u64le(at & ~3, number);
        break;
      default:
        if (room >= 8) file.u64be(at & ~7, number);
    }
  }
  return dice.below(8) === 0 ? file.bytes.subarray(0, dice.below(seed.length + 1)) : file.bytes;
}

/** Runs a reading as its driver would, and throws where it leaves its budget. */
function run<T>(reading: Generator<ByteRange, T, Uint8Array>, file: Uint8Array, isMapped: boolean): T {
  let requests = 0;
  let bytes = 0;
  let step = reading.next();
  while (!step.done) {
    const { offset, length } = step.value;
    requests++;
    bytes += length;
    if (offset < 0n || !Number.isSafeInteger(length) || length < 0) throw new Error('a range that is none');
    if (length > MAX_RANGE * (isMapped ? 2 : 1)) throw new Error(`a range of ${length}`);
    if (requests > MAX_REQUESTS + (isMapped ? MAP_LIMITS.maxReads : 0)) throw new Error('too many requests');
    if (bytes > MAX_BYTES + (isMapped ? MAP_LIMITS.maxTableBytes : 0)) throw new Error('too many bytes');
    const start = offset < BigInt(file.length) ? Number(offset) : file.length;
    step = reading.next(file.subarray(start, start + length));
  }
  return step.value;
}

function checkFacts(facts: ImageFacts): void {
  const { virtualSize, virtualSizeAtLeast, allocatedSize, defects, wrappers, format } = facts;
  for (const size of [virtualSize, virtualSizeAtLeast, allocatedSize])
    if (size !== null && size < 0n) throw new Error('a size below 0');
  if (virtualSize !== null && virtualSize % 512n !== 0n) throw new Error('part of a sector');
  if (virtualSize !== null && virtualSizeAtLeast !== null) throw new Error('exact and at least');
  if (allocatedSize !== null && (virtualSize === null || allocatedSize > virtualSize))
    throw new Error('A over V');
  if (new Set(wrappers).size !== wrappers.length) throw new Error('a wrapper twice');
  if (!/^[a-z0-9]+$/.test(format)) throw new Error('format');
  for (const { code, detail } of defects)
    if (!Object.hasOwn(DEFECTS, code) || !/^[\x20-\x7e’]+$/.test(detail)) throw new Error(`defect ${detail}`);
}

function probe(file: Uint8Array, dice: Dice): void {
  const storedSize = dice.of([BigInt(file.length), BigInt(file.length), null, 1n << 50n]);
  const options: ProbeOptions = { storedSize, map: dice.below(2) === 0 };
  checkFacts(run(readImage(options), file, options.map));
}

/** Each family makes one input and puts it through what it is for. `share` is of a hundred inputs. */
interface Family {
  readonly name: string;
  readonly share: number;
  readonly once: (dice: Dice) => void;
}

const SMALL = SAMPLES.filter(({ bytes }) => bytes.length > 0 && bytes.length < 20_000).map(
  ({ bytes }) => bytes,
);
const MAPPED = [
  qcow2Image({
    virtualSize: 1n << 26n,
    clusterBits: 9,
    entries: new Map([0n, 5n, 64n, 100_000n].map((number) => [number, [DATA]] as const)),
  }),
  qcow2Image({ version: 2, virtualSize: 1n << 24n, clusterBits: 9, entries: new Map([[1n, [COMPRESSED]]]) }),
  qcow2Image({ virtualSize: 1n << 20n, clusterBits: 9, entries: new Map([[0n, [ZERO]]]) }),
  vpcImage({ currentSize: 1n << 30n, allocated: [0, 9] }),
];
const CONTENT = Buffer.concat([prose(3000), noise(200), new Uint8Array(3000)]);
const INNER = qcow2Image({ virtualSize: 1n << 30n, clusterBits: 9 });
const WRAPPED = [
  gzipSync(CONTENT),
  gzipSync(Buffer.concat([INNER, noise(600)])),
  Buffer.concat([gzipSync(CONTENT), gzipSync(noise(600))]),
  gzipSync(new Uint8Array(2 * WRAPPER_LIMITS.maxOutput)),
  zstdCompressSync(Buffer.concat([CONTENT, noise(600)])),
  Buffer.concat([zstdCompressSync(noise(600)), zstdCompressSync(CONTENT)]),
  xzFile(Buffer.concat([INNER, noise(600)])),
  xzFile(gzipSync(Buffer.concat([CONTENT, noise(600)]))),
  xzStream([{ lzma2: storedLzma2(CONTENT), content: CONTENT }]),
];
const LZMA = Object.values(XZ_FILES).map((file) => Buffer.concat([file, file]));
const VHDX = vhdxImage({ virtualSize: 1n << 30n, hasLog: true });

const FAMILIES: readonly Family[] = [
  { name: 'headers', share: 45, once: (dice) => probe(mutate(dice.of(SMALL), dice), dice) },
  { name: 'maps', share: 20, once: (dice) => probe(mutate(dice.of(MAPPED), dice), dice) },
  { name: 'wrappers', share: 10, once: (dice) => probe(mutate(dice.of(WRAPPED), dice), dice) },
  { name: 'LZMA', share: 4, once: (dice) => probe(mutate(dice.of(LZMA), dice), dice) },
  {
    name: 'content of wrappers',
    share: 2,
    once: (dice) => probe(dice.of([gzipSync, zstdCompressSync, xzFile])(mutate(dice.of(SMALL), dice)), dice),
  },
  {
    name: 'xz indexes',
    share: 8,
    once: (dice) => {
      const file = mutate(dice.of([...LZMA, ...WRAPPED.slice(-3)]), dice);
      run(xzContentSize(BigInt(file.length)), file, false);
    },
  },
  { name: 'VHDX', share: 1, once: (dice) => probe(mutateVhdx(dice), dice) },
  {
    name: 'random bytes',
    share: 10,
    once: (dice) => {
      const start = dice.of(SMALL).subarray(0, dice.below(24));
      probe(Buffer.concat([start, noise(dice.below(2000), 1 + dice.below(1 << 30))]), dice);
    },
  },
];

/** Changes fields of its structures and, mostly, signs them again. */
function mutateVhdx(dice: Dice): Uint8Array {
  const file = new FileBytes(VHDX.length).put(0, VHDX);
  const { header, secondHeader, regions } = VHDX_LAYOUT;
  const metadata = 327_680;
  const areas = [header, secondHeader, regions, metadata, metadata + 65_536];
  for (let changes = 1 + dice.below(3); changes > 0; changes--)
    file.u8(dice.of(areas) + dice.below(180), dice.of([0, 1, 2, 255, dice.below(256)]));
  if (dice.below(4) > 0) {
    signVhdx(file, header, 4096);
    signVhdx(file, secondHeader, 4096);
    signVhdx(file, regions, PREFIX_LENGTH);
  }
  return file.bytes;
}

// The longer mode is longer than tap waits for a file.
t.setTimeout(0);

for (const [i, family] of FAMILIES.entries())
  t.test(family.name, async (t) => {
    const dice = new Dice(SEED * 1000 + i + 1);
    const failures: string[] = [];
    const count = Math.ceil((INPUTS * family.share) / 100);
    for (let input = 0; input < count && failures.length < 5; input++)
      try {
        family.once(dice);
      } catch (error) {
        failures.push(`input ${input}: ${(error as Error).stack}`);
      }
    t.same(failures, [], `${count} inputs`);
  });

t.test('the families make up the whole', async (t) => {
  t.equal(
    FAMILIES.reduce((sum, { share }) => sum + share, 0),
    100,
  );
});
