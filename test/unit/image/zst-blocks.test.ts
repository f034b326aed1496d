import t from 'tap';
import { ByteView } from '../../../src/bytes/view.ts';
import { walkZstBlocks } from '../../../src/image/zst-blocks.ts';

const FRAME = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x50];
/** Raw blocks of one byte and of two, the latter the last. */
const BLOCK = [0x08, 0, 0, 1];
const LAST = [0x11, 0, 0, 1, 2];
const SKIPPABLE = [0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9];

const walk = (...bytes: number[]) => walkZstBlocks(new ByteView(Uint8Array.from(bytes)));

t.test('blocks of frames, skippable ones left out', async (t) => {
  t.same(walk(...FRAME, ...BLOCK, ...LAST, ...SKIPPABLE, ...FRAME, ...LAST), {
    frames: [
      [
        { at: 6, length: 4 },
        { at: 10, length: 5 },
      ],
      [{ at: 30, length: 5 }],
    ],
    ended: true,
    broken: null,
  });
});

const rows: readonly (readonly [name: string, bytes: number[], frames: number[], broken: string | null])[] = [
  ['cut in a block', [...FRAME, ...BLOCK, ...LAST.slice(0, 4)], [1], null],
  ['cut in a frame’s header', [...FRAME, ...LAST, 0x28, 0xb5, 0x2f, 0xfd, 0], [1, 0], null],
  ['cut in a magic', [...FRAME, ...LAST, 0x28], [1, 0], null],
  ['cut in a skippable frame', [...FRAME, ...LAST, ...SKIPPABLE.slice(0, 8)], [1], null],
  ['cut before a checksum', [0x28, 0xb5, 0x2f, 0xfd, 4, 0x50, ...LAST], [1], null],
  ['other bytes behind', [...FRAME, ...LAST, 1, 2, 3, 4], [1, 0], 'zst with other bytes'],
  ['reserved bit', [0x28, 0xb5, 0x2f, 0xfd, 8, 0x50, ...LAST], [0], 'zst frame header'],
  ['a dictionary', [0x28, 0xb5, 0x2f, 0xfd, 1, 0x50, 3, ...LAST], [0], 'zst that needs a dictionary'],
  ['window', [0x28, 0xb5, 0x2f, 0xfd, 0, (19 << 3) | 1, ...LAST], [0], 'zst window over 512 MiB'],
  ['block type', [...FRAME, ...BLOCK, 0x0e, 0, 0], [1], 'zst block'],
];
for (const [name, bytes, frames, broken] of rows)
  t.test(name, async (t) => {
    const found = walk(...bytes);
    t.same(
      found.frames.map((blocks) => blocks.length),
      frames,
    );
    t.equal(found.broken, broken);
    t.equal(found.ended, false);
  });
