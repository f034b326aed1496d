import t from 'tap';
import { builtInTargets, defaultSettings } from '../../../src/floor/catalogue.ts';

t.test('every built-in target has settings, and all settings a target', async (t) => {
  t.same(
    builtInTargets.map(({ name }) => name),
    Object.keys(defaultSettings),
  );
});

t.test('nothing is added, and requests follow where they are equal, unless it is asked for', async (t) => {
  for (const [name, { curve, ...rest }] of Object.entries(defaultSettings)) {
    t.same(
      rest,
      {
        requests: 'followWhenEqual',
        addMissing: false,
        initLimits: false,
        action: 'mutate',
        burst: 'density',
      },
      name,
    );
    t.ok(curve.step > 0n && curve.min <= curve.max, name);
  }
});
