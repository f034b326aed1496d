import t from 'tap';
import { applyOperations } from '../../../src/floor/apply.ts';
import type { PatchOperation } from '../../../src/floor/floor.ts';
import type { JsonObject } from '../../../src/object/object.ts';

const add = (path: string, value: unknown): PatchOperation => ({ op: 'add', path, value });
const replace = (path: string, value: unknown): PatchOperation => ({ op: 'replace', path, value });

const rows: readonly {
  readonly name: string;
  readonly of: JsonObject;
  readonly by: PatchOperation[];
  readonly is: JsonObject;
}[] = [
  { name: 'no operation', of: { a: 1 }, by: [], is: { a: 1 } },
  { name: 'a new member', of: { a: 1 }, by: [add('/b', 2)], is: { a: 1, b: 2 } },
  { name: 'add over a member', of: { a: 1 }, by: [add('/a', 2)], is: { a: 2 } },
  {
    name: 'a member replaced',
    of: { a: { b: 1, c: 2 } },
    by: [replace('/a/b', 3)],
    is: { a: { b: 3, c: 2 } },
  },
  { name: 'in order', of: {}, by: [add('/a', {}), add('/a/b', 1)], is: { a: { b: 1 } } },
  { name: 'a member of a list', of: { a: [{ b: 1 }] }, by: [replace('/a/0/b', 2)], is: { a: [{ b: 2 }] } },
  { name: 'an element replaced', of: { a: [1, 2] }, by: [replace('/a/1', 3)], is: { a: [1, 3] } },
  { name: 'an element inserted', of: { a: [1, 2] }, by: [add('/a/0', 0)], is: { a: [0, 1, 2] } },
  { name: 'an element inserted at the end', of: { a: [1] }, by: [add('/a/1', 2)], is: { a: [1, 2] } },
  { name: 'an element appended', of: { a: [1] }, by: [add('/a/-', 2)], is: { a: [1, 2] } },
  {
    name: 'escaped names',
    of: { 'a/b': { 'c~d': 1 } },
    by: [replace('/a~1b/c~0d', 2)],
    is: { 'a/b': { 'c~d': 2 } },
  },
  { name: 'an empty name', of: { '': 1 }, by: [replace('/', 2)], is: { '': 2 } },
  { name: 'the whole', of: { a: 1 }, by: [replace('', { b: 2 })], is: { b: 2 } },
];

for (const { name, of, by, is } of rows) {
  t.test(name, async (t) => {
    const before = structuredClone(of);
    t.same(applyOperations(of, by), { ok: true, object: is });
    t.same(of, before, 'the object itself is not changed');
  });
}

const faults: readonly { readonly name: string; readonly by: PatchOperation; readonly fault: string }[] = [
  { name: 'a pointer without its slash', by: add('a', 1), fault: 'bad-pointer' },
  { name: 'a bad escape', by: add('/~2', 1), fault: 'bad-pointer' },
  { name: 'a missing parent', by: add('/x/y', 1), fault: 'missing-parent' },
  { name: 'a parent that is text', by: add('/text/y', 1), fault: 'missing-parent' },
  { name: 'a parent that is null', by: add('/nothing/y', 1), fault: 'missing-parent' },
  { name: 'a parent that only the prototype has', by: add('/toString/y', 1), fault: 'missing-parent' },
  { name: 'nothing to replace', by: replace('/x', 1), fault: 'missing-member' },
  { name: 'nothing of its own to replace', by: replace('/toString', 1), fault: 'missing-member' },
  { name: 'an index past the end', by: replace('/list/1', 1), fault: 'missing-member' },
  { name: 'an insertion past the end', by: add('/list/2', 1), fault: 'missing-member' },
  { name: 'the element after the last, replaced', by: replace('/list/-', 1), fault: 'missing-member' },
  { name: 'a parent past the end', by: add('/list/1/a', 1), fault: 'missing-parent' },
  { name: 'an index with a leading zero', by: add('/list/00', 1), fault: 'bad-pointer' },
  { name: 'an index that is none', by: add('/list/length', 1), fault: 'bad-pointer' },
  { name: 'text for the whole', by: replace('', 'x'), fault: 'not-an-object' },
];

for (const { name, by, fault } of faults) {
  t.test(`fault: ${name}`, async (t) => {
    const object = { text: 'x', nothing: null, list: [0] };
    t.same(applyOperations(object, [add('/a', 1), by]), { ok: false, fault, operation: by });
  });
}

t.test('a member called __proto__ is a member', async (t) => {
  const object = JSON.parse('{"a":{"__proto__":{"b":1}}}') as JsonObject;
  const applied = applyOperations(object, [
    replace('/a/__proto__/b', 2),
    add('/__proto__', { polluted: true }),
  ]);
  t.equal(
    JSON.stringify(applied.ok && applied.object),
    '{"a":{"__proto__":{"b":2}},"__proto__":{"polluted":true}}',
  );
  t.equal(({} as { polluted?: boolean }).polluted, undefined);
});
