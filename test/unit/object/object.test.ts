import t from 'tap';
import {
  assertNever,
  at,
  groupOf,
  identify,
  isBeingDeleted,
  isObject,
  listAt,
  objectAt,
  textAt,
} from '../../../src/object/object.ts';

const TREE = JSON.parse('{"a":{"b":[{"c":"text"}],"empty":"","n":1,"__proto__":{"x":"own"}},"null":null}');

t.test('at follows own properties only', (t) => {
  t.equal(at(TREE, 'a', 'b', 0, 'c'), 'text');
  t.equal(at(TREE, 'a', '__proto__', 'x'), 'own');
  t.equal(at(TREE, 'null'), null);
  t.equal(at(TREE), TREE);
  for (const path of [
    ['a', 'c'],
    ['null', 'a'],
    ['a', 'b', 1],
    ['a', 'b', 'map'],
    ['constructor'],
    ['a', 'n', 'toFixed'],
    ['__proto__'],
  ])
    t.equal(at(TREE, ...path), undefined, path.join('.'));
  for (const value of [null, undefined, 1, 'text']) t.equal(at(value, 'length'), undefined);
  t.end();
});

t.test('texts, objects and lists are of their type or not there', (t) => {
  t.equal(textAt(TREE, 'a', 'b', 0, 'c'), 'text');
  t.equal(textAt(TREE, 'a', 'empty'), undefined, 'an empty text says nothing');
  t.equal(textAt(TREE, 'a', 'n'), undefined);
  t.equal(objectAt(TREE, 'a'), TREE.a);
  t.equal(objectAt(TREE, 'a', 'b'), undefined, 'a list is no object');
  t.equal(objectAt(TREE, 'null'), undefined);
  t.equal(listAt(TREE, 'a', 'b'), TREE.a.b);
  t.same(listAt(TREE, 'a'), []);
  t.same(listAt(TREE, 'missing'), []);
  t.same([{}, [], null, 'x', 1].map(isObject), [true, false, false, false, false]);
  t.end();
});

t.test('which object it is', (t) => {
  t.same(
    identify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'ns', name: 'n', generateName: 'g-', uid: 'u' },
    }),
    { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: 'n', uid: 'u' },
  );
  t.equal(identify({ metadata: { generateName: 'g-' } }).name, 'g-');
  for (const value of [null, [], 'x', {}, { metadata: 1, kind: {}, apiVersion: [] }])
    t.same(identify(value), { apiVersion: '', kind: '', namespace: '', name: '', uid: '' });
  t.end();
});

t.test('the group of an apiVersion', (t) => {
  t.same(['v1', 'apps/v1', 'cdi.kubevirt.io/v1beta1', '', 'a/b/c'].map(groupOf), [
    '',
    'apps',
    'cdi.kubevirt.io',
    '',
    'a',
  ]);
  t.end();
});

t.test('whether it is on its way out', (t) => {
  t.equal(isBeingDeleted({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }), true);
  t.equal(isBeingDeleted({ metadata: { deletionTimestamp: null } }), false);
  t.equal(isBeingDeleted({ metadata: {} }), false);
  t.equal(isBeingDeleted(null), false);
  t.end();
});

t.test('what can never be is an error', (t) => {
  t.throws(() => assertNever('x' as never), { message: 'unexpected value: "x"' });
  t.end();
});
