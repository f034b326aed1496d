import t from 'tap';
import { parseContentLength, parseContentRange } from '../../../src/source/content-range.ts';

t.test('Content-Range', (t) => {
  const rows: [string | undefined, [bigint, bigint, bigint | null] | undefined][] = [
    ['bytes 0-0/1', [0n, 0n, 1n]],
    ['bytes 0-65535/9223372036854775807', [0n, 65535n, 9223372036854775807n]],
    ['BYTES 5-9/*', [5n, 9n, null]],
    ['bytes 0-0/0', undefined],
    ['bytes 0-1/1', undefined],
    ['bytes 5-4/10', undefined],
    ['bytes */10', undefined],
    ['bytes 0-9', undefined],
    ['bytes 0-9/', undefined],
    ['bytes=0-9/10', undefined],
    ['bytes 0-9/10, 20', undefined],
    [' bytes 0-9/10', undefined],
    ['bytes -1-9/10', undefined],
    ['bytes 0x0-9/10', undefined],
    ['pages 0-9/10', undefined],
    ['bytes 0-9/10000000000000000000', undefined],
    ['', undefined],
    [undefined, undefined],
  ];
  for (const [header, wanted] of rows) {
    const found = parseContentRange(header);
    t.same(found && [found.first, found.last, found.total], wanted, header ?? 'none');
  }
  t.end();
});

t.test('Content-Length', (t) => {
  const rows: [string | undefined, bigint | null][] = [
    ['0', 0n],
    ['9223372036854775807', 9223372036854775807n],
    ['99999999999999999999', null],
    ['-1', null],
    ['1, 1', null],
    ['', null],
    [undefined, null],
  ];
  for (const [header, wanted] of rows) t.equal(parseContentLength(header), wanted, header ?? 'none');
  t.end();
});
