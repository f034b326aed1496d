import { Readable } from 'node:stream';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import t from 'tap';
import {
  canHold,
  findDisk,
  Inflation,
  isDiskFile,
  MAX_INFLATED,
  openLayer,
} from '../../../src/source/layer.ts';
import { SourceError } from '../../../src/source/source.ts';
import type { TarEntry } from '../../../src/source/tar.ts';
import { pattern } from '../../fixtures/source/loopback.ts';
import { COMPRESS, type TarMember, tar } from '../../fixtures/source/tarball.ts';

const DISK = pattern(3000);
const disk: TarMember = { name: 'disk/disk.img', data: DISK };

/** A stream in chunks of `size`, and whether it was ended. */
function stream(bytes: Uint8Array, size = 100) {
  const state = { ended: false, given: 0 };
  async function* chunks() {
    try {
      for (let at = 0; at < bytes.length; at += size) {
        state.given += size;
        yield bytes.subarray(at, at + size);
      }
    } finally {
      state.ended = true;
    }
  }
  return { chunks: chunks(), state };
}

t.test('every codec gives the archive that it holds, in chunks of any size', async (t) => {
  for (const codec of ['gzip', 'zstd', 'plain'] as const)
    for (const size of [1, 3, 100, 1e6]) {
      const { chunks, state } = stream(COMPRESS[codec](tar([{ name: 'etc/x', data: DISK }, disk])), size);
      const layer = await openLayer(chunks, new Inflation());
      t.equal(layer.codec, codec, `${codec} by ${size}`);
      t.same(await findDisk(layer.queue), { name: 'disk/disk.img', type: 'file', size: 3000n });
      t.same(await layer.queue.take(3000), Buffer.from(DISK));
      await layer.queue.close();
      t.ok(state.ended, 'closing it ends what it is read from');
    }
});

t.test('several gzip members are one archive', async (t) => {
  const archive = tar([disk]);
  const members = Buffer.concat([gzipSync(archive.subarray(0, 700)), gzipSync(archive.subarray(700))]);
  const { queue } = await openLayer(stream(members).chunks, new Inflation());
  await findDisk(queue);
  t.same(await queue.take(3000), Buffer.from(DISK));
});

t.test('which entry is the disk', async (t) => {
  const file = (name: string): TarMember => ({ name, data: Buffer.from('x') });
  const rows: [string, TarMember[], string | undefined, boolean][] = [
    ['in disk/', [file('disk/disk.img')], 'disk/disk.img', true],
    ['in ./disk/', [file('./disk/downloaded')], './disk/downloaded', true],
    ['after other files', [{ name: 'etc/', flag: '5' }, file('etc/x'), file('disk/a')], 'disk/a', true],
    ['after its folder', [{ name: 'disk/', flag: '5' }, file('disk/a')], 'disk/a', true],
    ['after a whiteout', [file('disk/.wh.b'), file('disk/.wh..wh..opq'), file('disk/a')], 'disk/a', true],
    ['the first of two', [file('disk/b'), file('disk/a')], 'disk/b', true],
    ['a look-alike first', [file('diskfoo'), file('disk/a')], 'diskfoo', false],
    ['at the top', [file('disk.img')], 'disk.img', false],
    ['deeper', [file('disk/sub/a')], 'disk/sub/a', false],
    ['a symbolic link', [{ name: 'disk/a', flag: '2' }], 'disk/a', false],
    ['a hard link', [{ name: 'disk/a', flag: '1' }], 'disk/a', false],
    ['a device', [{ name: 'disk/a', flag: '3' }], 'disk/a', false],
    ['absolute', [file('/disk/a')], undefined, false],
    ['elsewhere', [file('boot/disk/a')], undefined, false],
    ['nothing', [], undefined, false],
  ];
  for (const [name, members, wanted, usable] of rows) {
    const { queue } = await openLayer(stream(tar(members)).chunks, new Inflation());
    const entry = await findDisk(queue);
    t.equal(entry?.name, wanted, name);
    if (entry !== undefined) t.equal(isDiskFile(entry), usable, name);
  }
});

t.test('bombs end at the limit, and all layers count', async (t) => {
  const bomb = tar([{ name: 'x', data: Buffer.alloc(2 * MAX_INFLATED) }, disk]);
  for (const codec of ['gzip', 'zstd', 'plain'] as const) {
    const { chunks, state } = stream(COMPRESS[codec](bomb), 4096);
    const { queue } = await openLayer(chunks, new Inflation());
    await t.rejects(findDisk(queue), { code: 'over-budget' }, codec);
    t.ok(state.ended, codec);
  }
  const half = tar([{ name: 'x', data: Buffer.alloc(MAX_INFLATED * 0.6) }]);
  const inflation = new Inflation();
  t.equal(await findDisk((await openLayer(stream(gzipSync(half)).chunks, inflation)).queue), undefined);
  await t.rejects(findDisk((await openLayer(stream(gzipSync(half)).chunks, inflation)).queue), {
    code: 'over-budget',
  });
});

t.test('an entry that claims more than there is does not make anything wait or grow', async (t) => {
  const { queue } = await openLayer(
    stream(tar([{ name: 'x', size: 8n ** 11n - 1n }, disk])).chunks,
    new Inflation(),
  );
  t.equal(await findDisk(queue), undefined);
});

t.test('layers that break', async (t) => {
  const archive = tar([{ name: 'x', data: pattern(50_000) }, disk]);
  const cut = (bytes: Buffer) => bytes.subarray(0, 600);
  const wide = zstdCompressSync(archive, {
    params: { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 },
  });
  wide[5] = 0xf0; // a window of 2^41 bytes
  const rows: [string, Buffer, RegExp][] = [
    ['a gzip that is cut', cut(gzipSync(archive)), /^Z_BUF_ERROR$/],
    ['a gzip with a wrong byte', Buffer.from(gzipSync(archive)).fill(0xff, 200, 300), /^Z_DATA_ERROR$/],
    ['a zstd with a wrong byte', Buffer.from(zstdCompressSync(archive)).fill(0xff, 4, 12), /^ZSTD_/],
    ['a zstd window past the limit', wide, /^ZSTD_/],
    ['no archive', gzipSync(Buffer.alloc(2000, 7)), /^not-a-tar$/],
  ];
  for (const [name, bytes, code] of rows) {
    const { chunks, state } = stream(bytes);
    const { queue } = await openLayer(chunks, new Inflation());
    const error = await findDisk(queue).then(
      () => undefined,
      (error) => error,
    );
    t.match(error?.code, code, name);
    await queue.close();
    t.ok(state.ended, name);
  }
});

t.test('an error of the stream is the error of the layer', async (t) => {
  const failing = (bytes: Uint8Array) =>
    Readable.from(
      (async function* () {
        yield bytes;
        throw new SourceError('timed-out');
      })(),
    );
  for (const codec of ['gzip', 'zstd', 'plain'] as const) {
    const bytes = COMPRESS[codec](tar([{ name: 'x', data: pattern(50_000) }])).subarray(0, 700);
    const { queue } = await openLayer(failing(bytes), new Inflation());
    await t.rejects(findDisk(queue), { code: 'timed-out' }, codec);
  }
});

t.test('how long an entry can be, for the layer that holds it', (t) => {
  const entry = (size: bigint): TarEntry => ({ name: 'disk/a', type: 'file', size });
  t.ok(canHold('plain', 1000, entry(1000n)));
  t.notOk(canHold('plain', 1000, entry(1001n)));
  t.ok(canHold('gzip', 1000, entry(1_032_000n)));
  t.notOk(canHold('gzip', 1000, entry(1_032_001n)));
  t.ok(canHold('zstd', 1000, entry(1n << 50n)), 'a zstd frame can repeat one byte for ever');
  t.end();
});
