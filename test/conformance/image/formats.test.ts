import t from 'tap';
import type { ByteRange } from '../../../src/bytes/range.ts';
import type { ByteSource } from '../../../src/bytes/source.ts';
import { ByteView } from '../../../src/bytes/view.ts';
import { driveReading } from '../../../src/evaluate/drive.ts';
import { PREFIX_LENGTH } from '../../../src/image/format.ts';
import { FORMATS } from '../../../src/image/formats.ts';
import type { ImageFacts } from '../../../src/image/image.ts';
import { readImage } from '../../../src/image/read.ts';
import { WRAPPERS } from '../../../src/image/wrappers.ts';
import { runReading } from '../../fixtures/image/run.ts';
import { SAMPLES, type Sample } from '../../fixtures/image/samples.ts';

/** A source that answers each read with what `cut` makes of its length. */
function source(bytes: Uint8Array, size: bigint | null, cut: (length: number) => number): ByteSource {
  const cost = { bytesRead: 0, requests: 0 };
  return {
    size,
    identity: null,
    cost,
    async read(range: ByteRange) {
      const start = Number(range.offset);
      const answer = bytes.subarray(start, start + cut(range.length));
      cost.requests++;
      cost.bytesRead += answer.length;
      return answer;
    },
    close() {},
  };
}

const SOURCES: readonly (readonly [name: string, cut: (length: number) => number])[] = [
  ['whole', (length) => length],
  ['one byte at a time', () => 1],
  ['seven bytes at a time', () => 7],
  ['short reads', (length) => Math.ceil(length / 2)],
];

function told({ format, wrappers, virtualSize, defects }: ImageFacts) {
  return { format, wrappers, virtualSize, defects: defects.map(({ code }) => code) };
}

const prefixOf = ({ bytes }: Sample) => new ByteView(bytes.subarray(0, PREFIX_LENGTH));

for (const [i, row] of FORMATS.entries())
  t.test(`row ${i}, ${row.name}, has a sample that no row before it takes`, async (t) => {
    t.ok(SAMPLES.some((sample) => FORMATS.find((other) => other.recognise(prefixOf(sample))) === row));
  });

for (const row of WRAPPERS)
  t.test(`${row.name} has a sample`, async (t) => {
    t.ok(SAMPLES.some((sample) => row.recognise(prefixOf(sample))));
  });

t.test('raw is the last row, and takes anything', async (t) => {
  t.equal(FORMATS.at(-1)!.name, 'raw');
  t.ok(FORMATS.at(-1)!.recognise(new ByteView(new Uint8Array(0))));
});

for (const sample of SAMPLES) {
  t.test(`${sample.name}: the same answer from every source`, async (t) => {
    const size = BigInt(sample.bytes.length);
    const expected = runReading(readImage({ storedSize: size, map: true }), sample.bytes).value;
    t.same(told(expected), {
      format: sample.format,
      wrappers: sample.wrappers ?? [],
      virtualSize: sample.virtualSize,
      defects: sample.defects ?? [],
    });
    for (const [name, cut] of SOURCES) {
      const reading = readImage({ storedSize: size, map: true });
      t.same(await driveReading(reading, source(sample.bytes, size, cut)), expected, name);
    }
    const unmapped = runReading(readImage({ storedSize: size, map: false }), sample.bytes).value;
    t.same(unmapped, { ...expected, allocatedSize: null }, 'without the map');
  });

  t.test(`${sample.name}: of unknown length, never another size`, async (t) => {
    const whole = source(sample.bytes, null, (length) => length);
    const facts = await driveReading(readImage({ storedSize: null, map: false }), whole);
    t.equal(facts.format, sample.format);
    // A footer cannot be found then, and the header's word is all there is.
    if (facts.virtualSize !== null && sample.name !== 'vmdk with a footer')
      t.equal(facts.virtualSize, sample.virtualSize);
    if (facts.virtualSizeAtLeast !== null && sample.virtualSize !== null)
      t.ok(facts.virtualSizeAtLeast <= sample.virtualSize, 'at least');
  });
}
