import t from 'tap';
import { BadLzmaError, InputEndsError, LzmaDecoder } from '../../../src/image/lzma.ts';
import { XZ_CONTENT, XZ_FILES } from '../../fixtures/image/xz-files.ts';

/** The first chunk of a file: its properties, its size, where its bytes lie (xz spec 3.1; LZMA2 chunk header). */
const FILE = XZ_FILES['xz -6']!;
const CHUNK = 24;
const SIZE = (((FILE[CHUNK]! & 0x1f) << 16) | (FILE[CHUNK + 1]! << 8) | FILE[CHUNK + 2]!) + 1;
const START = CHUNK + 6;
const END = START + ((FILE[CHUNK + 3]! << 8) | FILE[CHUNK + 4]!) + 1;

function decoder(limit = 1 << 20): LzmaDecoder {
  const made = new LzmaDecoder(limit);
  made.setProperties(FILE[CHUNK + 5]!);
  made.resetState();
  return made;
}

t.test('a chunk', async (t) => {
  const lzma = decoder();
  lzma.decodeChunk(FILE, START, END, SIZE);
  t.equal(lzma.length, XZ_CONTENT.length);
  t.same(Buffer.from(lzma.output.subarray(0, lzma.length)), Buffer.from(XZ_CONTENT));
});

t.test('a chunk of which the input has a part', async (t) => {
  let before = 0;
  for (let cut = START; cut < END; cut += 29) {
    const lzma = decoder();
    t.throws(() => lzma.decodeChunk(FILE.subarray(0, cut), START, END, SIZE), InputEndsError);
    t.same(
      Buffer.from(lzma.output.subarray(0, lzma.length)),
      Buffer.from(XZ_CONTENT.subarray(0, lzma.length)),
      `${cut}`,
    );
    t.ok(lzma.length >= before);
    before = lzma.length;
  }
  t.ok(before > 1000);
});

t.test('nothing is written past the limit', async (t) => {
  for (const limit of [1, 599, 601, 2000, XZ_CONTENT.length - 1]) {
    const lzma = decoder(limit);
    lzma.decodeChunk(FILE, START, END, SIZE);
    t.equal(lzma.length, limit);
    t.same(Buffer.from(lzma.output), Buffer.from(XZ_CONTENT.subarray(0, limit)));
  }
});

t.test('matches reach no further back than the dictionary', async (t) => {
  const lzma = decoder();
  lzma.store(Uint8Array.from([1, 2, 3]));
  lzma.dictionaryStart = lzma.length;
  lzma.decodeChunk(FILE, START, END, SIZE);
  t.same(
    Buffer.from(lzma.output.subarray(3, lzma.length)),
    Buffer.from(XZ_CONTENT),
    'the same behind others',
  );
});

t.test('a chunk whose sizes lie is bad', async (t) => {
  const rows: [name: string, end: number, size: number][] = [
    ['content longer', END, SIZE + 1],
    ['content shorter', END, SIZE - 1],
    ['input shorter', END - 1, SIZE],
    ['input longer', END + 1, SIZE],
  ];
  for (const [name, end, size] of rows)
    t.throws(() => decoder().decodeChunk(FILE, START, end, size), BadLzmaError, name);
});

t.test('a chunk must begin with 0', async (t) => {
  t.throws(() => decoder().decodeChunk(Uint8Array.of(1, 0, 0, 0, 0, 0), 0, 6, 1), BadLzmaError);
});

t.test('stored bytes', async (t) => {
  const lzma = new LzmaDecoder(5);
  lzma.store(Uint8Array.from([1, 2, 3]));
  lzma.store(Uint8Array.from([4, 5, 6]));
  t.same([...lzma.output], [1, 2, 3, 4, 5]);
  t.equal(lzma.length, 5);
});
