import t from 'tap';
import { builtInTargets } from '../../../src/floor/catalogue.ts';
import { defaultCurves } from '../../../src/floor/curve.ts';

t.test('every built-in target has a curve, and every curve a target', async (t) => {
  t.same(
    builtInTargets.map(({ name }) => name),
    Object.keys(defaultCurves),
  );
});

t.test('every curve is sound', async (t) => {
  for (const [name, curve] of Object.entries(defaultCurves))
    t.ok(curve.step > 0n && curve.min <= curve.max, name);
});
