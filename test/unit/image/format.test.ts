import t from 'tap';
import { disk, unusable, wholeSectors } from '../../../src/image/format.ts';

t.test('whole sectors are rounded up', async (t) => {
  const rows: [bigint, bigint][] = [
    [0n, 0n],
    [1n, 512n],
    [511n, 512n],
    [512n, 512n],
    [513n, 1024n],
    [(1n << 62n) + 1n, (1n << 62n) + 512n],
  ];
  for (const [bytes, expected] of rows) t.equal(wholeSectors(bytes), expected, `${bytes}`);
});

t.test('a disk is sound unless told otherwise', async (t) => {
  t.same(disk('vdi', 5n), {
    format: 'vdi',
    virtualSize: 5n,
    virtualSizeAtLeast: null,
    allocatedSize: null,
    defects: [],
  });
  t.equal(disk('vdi', 5n, { allocatedSize: 2n }).allocatedSize, 2n);
});

t.test('an unusable disk has a reason and no size', async (t) => {
  const facts = unusable('qed', 'unsupported-format', 'QED');
  t.same(facts.defects, [{ code: 'unsupported-format', detail: 'QED' }]);
  t.equal(facts.virtualSize, null);
  t.equal(facts.virtualSizeAtLeast, null);
});
