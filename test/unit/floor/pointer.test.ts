import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { parsePointer, pointerTo } from '../../../src/floor/pointer.ts';

t.test('the escapes of RFC 6901', async (t) => {
  t.equal(pointerTo([]), '');
  t.equal(pointerTo(['spec', 'containers', 0]), '/spec/containers/0');
  t.equal(pointerTo(['a/b', 'm~n', '~1', '']), '/a~1b/m~0n/~01/');
  t.same(parsePointer(''), []);
  t.same(parsePointer('/'), ['']);
  t.same(parsePointer('/a~1b/m~0n/~01/'), ['a/b', 'm~n', '~1', '']);
});

t.test('what is no pointer', async (t) => {
  for (const text of ['a', 'a/b', '/~', '/a~2b', '/~x']) t.equal(parsePointer(text), null, text);
});

t.test('every path comes back', async (t) => {
  t.equal(
    fc.defaultReportMessage(
      fc.check(
        fc.property(fc.array(fc.string()), (path) => {
          return isDeepStrictEqual(parsePointer(pointerTo(path)), path);
        }),
        { numRuns: 50 },
      ),
    ),
    undefined,
  );
});
