import fc from 'fast-check';
import { incompressible, KiB, MiB, ofDisk, type Sample } from './making.ts';

const SECTOR = 512;
const MAX_DISK = 8 * MiB;

const OPTIONS: readonly (readonly [format: string, ...options: string[]])[] = [
  ['qcow2'],
  ['qcow2', '-o', 'compat=0.10'],
  ['qcow2', '-o', 'cluster_size=4k'],
  ['qcow2', '-o', 'extended_l2=on,cluster_size=128k'],
  ['qcow2', '-c', '-o', 'compression_type=zstd'],
  ['vmdk'],
  ['vmdk', '-o', 'subformat=streamOptimized'],
  ['vdi'],
  ['vpc'],
  ['vpc', '-o', 'subformat=fixed'],
  ['vhdx'],
  ['raw'],
];

/** A disk of some sectors with data in some places, in some format that CDI imports. */
export function randomImage(): fc.Arbitrary<Sample> {
  return fc
    .record({
      // Over 1 MiB by more than the least offset of a request, for CDI refuses what asks for less.
      sectors: fc.integer({ min: (2 * MiB) / SECTOR, max: MAX_DISK / SECTOR }),
      options: fc.constantFrom(...OPTIONS),
      data: fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), seed: fc.nat(255) }), {
        maxLength: 6,
      }),
    })
    .map(({ sectors, options: [format, ...options], data }) => {
      const disk = () => {
        const bytes = Buffer.alloc(sectors * SECTOR);
        for (const { at, seed } of data)
          incompressible(64 * KiB, seed).copy(bytes, Math.floor((at * bytes.length) / SECTOR) * SECTOR);
        return bytes;
      };
      const name = [format, ...options, sectors, data.length].join(' ');
      return ofDisk(name, `random.${format}`, disk, '-O', format, ...options);
    });
}
