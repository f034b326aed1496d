import t from 'tap';
import { obstacleTo, operationsFor } from '../../../src/floor/write.ts';

t.test('what stands in the way', async (t) => {
  t.equal(obstacleTo({}, ['a', 'b', 'c']), null);
  t.equal(obstacleTo({ a: { b: {} } }, ['a', 'b', 'c']), null);
  t.equal(obstacleTo({ a: { b: { c: 'x' } } }, ['a', 'b', 'c']), null, 'the value itself is no obstacle');
  t.equal(obstacleTo({ a: null }, ['a', 'b', 'c']), null);
  t.equal(obstacleTo({ a: [{}] }, ['a', 0, 'c']), null);
  t.same(obstacleTo({ a: 'x' }, ['a', 'b', 'c']), ['a']);
  t.same(obstacleTo({ a: { b: [] } }, ['a', 'b', 'c']), ['a', 'b']);
  t.same(obstacleTo({ a: {} }, ['a', 0, 'c']), ['a']);
});

t.test('parents that are missing are made once', async (t) => {
  const operations = operationsFor({}, [
    { path: ['a', 'b'], value: 1 },
    { path: ['a', 'c'], value: 2 },
  ]);
  t.same(operations, [
    { op: 'add', path: '/a', value: {} },
    { op: 'add', path: '/a/b', value: 1 },
    { op: 'add', path: '/a/c', value: 2 },
  ]);
});

t.test('what is there is replaced', async (t) => {
  t.same(
    operationsFor({ a: { b: 1 }, c: null }, [
      { path: ['a', 'b'], value: 2 },
      { path: ['c', 'd/e'], value: 3 },
    ]),
    [
      { op: 'replace', path: '/a/b', value: 2 },
      { op: 'replace', path: '/c', value: {} },
      { op: 'add', path: '/c/d~1e', value: 3 },
    ],
  );
});

t.test('an obstacle is a fault of the caller', async (t) => {
  const write = () => operationsFor({ a: 'x' }, [{ path: ['a', 'b'], value: 1 }]);
  t.throws(write, { code: 'unwritable' });
});
