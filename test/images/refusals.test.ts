import { readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import type { ImageFacts } from '../../src/image/image.ts';
import { FileBytes } from '../fixtures/image/file.ts';
import { noise } from '../fixtures/image/noise.ts';
import { signFooter } from '../fixtures/image/vpc.ts';
import { probeFile, qemuInfo, requireTools, run, scratchFolder } from './tools.ts';

requireTools();
// Programs run for minutes here, which is longer than tap waits for a file.
t.setTimeout(0);
const scratch = scratchFolder();
t.teardown(scratch.remove);

/** Mutants of each image; `MUTANTS=2000 npm run test:images` for more. */
const MUTANTS = Number(process.env.MUTANTS ?? 120);
const BYTES = [0, 1, 2, 3, 4, 8, 9, 16, 21, 22, 0x7f, 0x80, 0xff];

/** What qemu-img opens without complaint, as its parent or key is not asked for, or is asked for elsewhere. */
const NOT_OF_THE_HEADER = ['backing-file', 'external-data-file', 'encrypted', 'differencing'];

interface Seed {
  readonly name: string;
  readonly create: readonly string[];
  /** The bytes that are changed: [from, to). */
  readonly areas: readonly (readonly [from: number, to: number])[];
  readonly sign?: (file: FileBytes) => unknown;
}

const SEEDS: readonly Seed[] = [
  // What lies in a snapshot table that is there by accident is not looked at, so its count stays 0.
  {
    name: 'qcow2',
    create: ['-f', 'qcow2', '10M'],
    areas: [
      [4, 60],
      [64, 112],
    ],
  },
  {
    name: 'qcow2 version 2',
    create: ['-f', 'qcow2', '-o', 'compat=0.10', '10M'],
    areas: [
      [4, 60],
      [64, 72],
    ],
  },
  {
    name: 'qcow2 with extended L2 and zstd',
    create: ['-f', 'qcow2', '-o', 'extended_l2=on,compression_type=zstd', '10M'],
    areas: [
      [4, 60],
      [64, 130],
    ],
  },
  { name: 'vdi', create: ['-f', 'vdi', '5M'], areas: [[64, 512]] },
  { name: 'vpc', create: ['-f', 'vpc', '5M'], areas: [[8, 64]], sign: signFooter },
  // A table that is longer or elsewhere has entries by accident, which are not looked at.
  {
    name: 'vpc, dynamic header',
    create: ['-f', 'vpc', '5M'],
    areas: [
      [512, 534],
      [536, 541],
      [544, 560],
    ],
  },
  {
    name: 'vmdk',
    create: ['-f', 'vmdk', '5M'],
    areas: [
      [4, 48],
      [56, 80],
    ],
  },
  { name: 'vmdk, descriptor', create: ['-f', 'vmdk', '5M'], areas: [[512, 620]] },
  { name: 'vhdx, metadata', create: ['-f', 'vhdx', '5M'], areas: [[3_145_728, 3_145_936]] },
  { name: 'vhdx, items', create: ['-f', 'vhdx', '5M'], areas: [[3_211_264, 3_211_277]] },
];

function verdict(facts: ImageFacts): string {
  return facts.defects.length > 0 ? 'refused' : `${facts.format} ${Number(facts.virtualSize)}`;
}

for (const [number, seed] of SEEDS.entries())
  t.test(`${seed.name}: what qemu-img refuses is a defect, and V is its V`, async (t) => {
    const file = scratch.path(`seed-${number}.img`);
    const options = seed.create.slice(0, -1);
    run('qemu-img', ['create', '-q', ...options, file, seed.create.at(-1)!]);
    const sound = readFileSync(file);
    const dice = noise(MUTANTS * 8, number + 1);
    for (let mutant = 0; mutant < MUTANTS; mutant++) {
      const image = new FileBytes(sound.length).put(0, sound);
      const changes: string[] = [];
      for (let change = 0; change < 2; change++) {
        const [a, b, c, d] = dice.subarray(mutant * 8 + change * 4);
        const [from, to] = seed.areas[a! % seed.areas.length]!;
        const at = from + ((b! * 256 + c!) % (to - from));
        image.u8(at, d! < 180 ? BYTES[d! % BYTES.length]! : d!);
        changes.push(`${at}=${image.bytes[at]}`);
      }
      seed.sign?.(image);
      writeFileSync(file, image.bytes);
      const facts = await probeFile(file, false);
      if (facts.defects.some(({ code }) => NOT_OF_THE_HEADER.includes(code))) continue;
      const info = qemuInfo(file);
      const expected = info === null ? 'refused' : `${info.format} ${info.virtualSize}`;
      t.equal(verdict(facts), expected, changes.join(', '));
    }
  });
