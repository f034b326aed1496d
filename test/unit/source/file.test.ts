import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { openFile } from '../../../src/source/file.ts';
import { pattern } from '../../fixtures/source/loopback.ts';

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-'));
t.teardown(() => rmSync(folder, { recursive: true }));

t.test('a file is read where it is asked for', async (t) => {
  const path = join(folder, 'disk.img');
  const bytes = pattern(5000);
  writeFileSync(path, bytes);
  const source = await openFile(path);
  t.equal(source.size, 5000n);
  t.equal(source.identity, null);
  const rows: [string, bigint, number, Uint8Array][] = [
    ['first', 0n, 10, bytes.subarray(0, 10)],
    ['last', 4999n, 1, bytes.subarray(4999)],
    ['across the end', 4990n, 100, bytes.subarray(4990)],
    ['at the end', 5000n, 1, new Uint8Array(0)],
    ['far past it', 1n << 62n, 1, new Uint8Array(0)],
    ['nothing', 10n, 0, new Uint8Array(0)],
  ];
  for (const [name, offset, length, wanted] of rows)
    t.same(await source.read({ offset, length }), Buffer.from(wanted), name);
  t.same(source.cost, { bytesRead: 21, requests: 0 });
  await t.rejects(source.read({ offset: 0n, length: 2 ** 31 }), { code: 'over-budget' });
  truncateSync(path, 100);
  await t.rejects(source.read({ offset: 200n, length: 10 }), { code: 'changed' });
  source.close();
  source.close();
  await t.rejects(source.read({ offset: 0n, length: 10 }), { code: 'unreachable' }, 'a closed file');
});

t.test('beyond 4 GiB', async (t) => {
  const path = join(folder, 'sparse.img');
  writeFileSync(path, '');
  truncateSync(path, 2 ** 33);
  const source = await openFile(path);
  t.equal(source.size, 2n ** 33n);
  t.same(await source.read({ offset: 2n ** 33n - 4n, length: 8 }), Buffer.alloc(4));
  source.close();
});

t.test('what is no file', async (t) => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  await t.rejects(openFile(join(folder, 'none')), { code: 'not-found' });
  await t.rejects(openFile(join(folder, 'disk.img', 'x')), { code: 'unreachable' });
  await t.rejects(openFile(folder), { code: 'unsupported' });
  await t.rejects(openFile(pipe), { code: 'unsupported' }, 'a pipe that nobody writes to');
});
