import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { ByteQueue } from '../../../src/source/queue.ts';
import { dataLength, nextEntry, type TarEntry, TarError } from '../../../src/source/tar.ts';
import { pax, type TarMember, tar } from '../../fixtures/source/tarball.ts';

const queue = (...chunks: Uint8Array[]) =>
  new ByteQueue(
    (async function* () {
      yield* chunks;
    })(),
  );

async function entries(bytes: Uint8Array): Promise<TarEntry[]> {
  const found: TarEntry[] = [];
  const archive = queue(bytes);
  for (let entry = await nextEntry(archive); entry !== undefined; entry = await nextEntry(archive)) {
    found.push(entry);
    await archive.skip(dataLength(entry));
  }
  return found;
}

const data = Buffer.alloc(700, 7);
const base256 = (...bytes: number[]) =>
  Uint8Array.from([...Array(12 - bytes.length).fill(0), ...bytes]).fill(0x80, 0, 1);

t.test('entries', async (t) => {
  const long = `disk/${'x'.repeat(200)}`;
  const rows: [string, TarMember[], TarEntry[]][] = [
    ['a file', [{ name: 'a', data }], [{ name: 'a', type: 'file', size: 700n }]],
    ['an empty file', [{ name: 'a' }], [{ name: 'a', type: 'file', size: 0n }]],
    ['the oldest flag', [{ name: 'a', data, flag: '\0' }], [{ name: 'a', type: 'file', size: 700n }]],
    ['a contiguous file', [{ name: 'a', data, flag: '7' }], [{ name: 'a', type: 'file', size: 700n }]],
    ['a folder', [{ name: 'a/', flag: '5' }], [{ name: 'a/', type: 'folder', size: 0n }]],
    ['a folder of old', [{ name: 'a/' }], [{ name: 'a/', type: 'folder', size: 0n }]],
    [
      'links',
      [
        { name: 'a', flag: '1' },
        { name: 'b', flag: '2' },
      ],
      [
        { name: 'a', type: 'link', size: 0n },
        { name: 'b', type: 'link', size: 0n },
      ],
    ],
    [
      'a link that claims data',
      [
        { name: 'a', flag: '2', size: 512n },
        { name: 'b', data },
      ],
      [
        { name: 'a', type: 'link', size: 0n },
        { name: 'b', type: 'file', size: 700n },
      ],
    ],
    ['a device', [{ name: 'a', flag: '4' }], [{ name: 'a', type: 'other', size: 0n }]],
    ['a prefix', [{ name: 'a', prefix: 'disk' }], [{ name: 'disk/a', type: 'file', size: 0n }]],
    [
      'a pax path',
      [pax({ path: long }), { name: 'a', data }, { name: 'b' }],
      [
        { name: long, type: 'file', size: 700n },
        { name: 'b', type: 'file', size: 0n },
      ],
    ],
    [
      'a pax size',
      [pax({ mtime: '1', size: '700' }), { name: 'a', data, size: 0n }],
      [{ name: 'a', type: 'file', size: 700n }],
    ],
    [
      'a global pax header',
      [{ ...pax({ path: 'no' }), flag: 'g' }, { name: 'a' }],
      [{ name: 'a', type: 'file', size: 0n }],
    ],
    [
      'a GNU long name',
      [{ name: 'x', flag: 'L', data: Buffer.from(`${long}\0`) }, { name: 'a' }],
      [{ name: long, type: 'file', size: 0n }],
    ],
    [
      'a GNU long link',
      [
        { name: 'x', flag: 'K', data: Buffer.from('l\0') },
        { name: 'a', flag: '2' },
      ],
      [{ name: 'a', type: 'link', size: 0n }],
    ],
    ['nothing', [], []],
  ];
  for (const [name, members, wanted] of rows) {
    t.same(await entries(tar(members)), wanted, name);
    t.same(await entries(tar(members, true)), wanted, `${name}, the end not marked`);
  }
});

t.test('sizes beyond what octal holds', async (t) => {
  const rows: [string, TarMember[], bigint][] = [
    ['the most of octal', [{ name: 'a', size: 8n ** 11n - 1n }], 8n ** 11n - 1n],
    ['base 256', [{ name: 'a', sizeField: base256(2, 0, 0, 0, 0) }], 2n ** 33n],
    ['pax', [pax({ size: `${2n ** 62n}` }), { name: 'a' }], 2n ** 62n],
  ];
  for (const [name, members, size] of rows) t.equal((await nextEntry(queue(tar(members))))?.size, size, name);
  t.equal(dataLength({ name: '', type: 'file', size: 0n }), 0n);
  t.equal(dataLength({ name: '', type: 'file', size: 1n }), 512n);
  t.equal(dataLength({ name: '', type: 'file', size: 512n }), 512n);
  t.equal(dataLength({ name: '', type: 'file', size: 513n }), 1024n);
});

t.test('what is no tar', async (t) => {
  const rawPax = (text: string): TarMember => ({ name: 'p', flag: 'x', data: Buffer.from(text) });
  const rows: [string, Uint8Array][] = [
    ['noise', Buffer.alloc(2048, 0x5a)],
    ['a wrong checksum', tar([{ name: 'a', checksum: '000001\0 ' }])],
    ['a checksum that is no number', tar([{ name: 'a', checksum: 'x00001\0 ' }])],
    ['half a header', tar([{ name: 'a' }]).subarray(0, 300)],
    ['a size that is no number', tar([{ name: 'a', sizeField: Buffer.from('0000000009x\0') }])],
    ['a negative size', tar([{ name: 'a', sizeField: Buffer.alloc(12, 0xff) }])],
    ['a size of 2^63', tar([{ name: 'a', sizeField: base256(0x80, 0, 0, 0, 0, 0, 0, 0) }])],
    ['a pax size of 2^63', tar([pax({ size: `${2n ** 63n}` }), { name: 'a' }])],
    ['a pax size that is none', tar([pax({ size: '-1' }), { name: 'a' }])],
    ['a sparse file', tar([{ name: 'a', flag: 'S' }])],
    ['a sparse file by pax', tar([pax({ 'GNU.sparse.major': '1' }), { name: 'a' }])],
    ['a pax header of a gigabyte', tar([{ name: 'p', flag: 'x', size: 2n ** 30n }])],
    ['a pax header that is cut', tar([pax({ path: 'a' })], true).subarray(0, 600)],
    ['a pax record of length 0', tar([rawPax('0 a=b\n'), { name: 'a' }])],
    ['a pax record that is longer than its header', tar([rawPax('99 a=b\n'), { name: 'a' }])],
    ['a pax record without a length', tar([rawPax('path=a\n'), { name: 'a' }])],
    ['a pax record with a long length', tar([rawPax('000000000006 a=b\n'), { name: 'a' }])],
  ];
  for (const [name, bytes] of rows) await t.rejects(entries(bytes), TarError, name);
});

t.test('an extended header that claims a gigabyte is not waited for', async (t) => {
  let given = 0;
  async function* endless() {
    yield tar([{ name: 'p', flag: 'x', size: 2n ** 30n }], true);
    for (; given < 2 ** 20; given += 512) yield new Uint8Array(512);
  }
  await t.rejects(nextEntry(new ByteQueue(endless())), TarError);
  t.equal(given, 0);
});

t.test('what the system’s own tar writes', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'disk'));
  for (const [format, length] of [
    ['ustar', 60],
    ['gnu', 150],
    ['pax', 150],
  ] as const) {
    const name = `disk/${format}-${'x'.repeat(length)}-ü.img`;
    writeFileSync(join(folder, name), data);
    const bytes = execFileSync('tar', ['-C', folder, `--format=${format}`, '-cf', '-', `./${name}`]);
    t.same(await entries(bytes), [{ name: `./${name}`, type: 'file', size: 700n }], format);
  }
});

t.test('any bytes end, in entries or in a TarError', async (t) => {
  const whole = tar([
    pax({ path: 'disk/a' }),
    { name: 'a', data },
    { name: 'b', flag: 'L', data: Buffer.from('x') },
    { name: 'c' },
  ]);
  const mutation = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
  const property = fc.asyncProperty(mutation, async (changes) => {
    const bytes = Buffer.from(whole);
    for (const [at, value] of changes) bytes[at] = value;
    await entries(bytes).catch((error) => {
      if (!(error instanceof TarError)) throw error;
    });
  });
  t.notOk((await fc.check(property, { numRuns: 500 })).failed);
});
