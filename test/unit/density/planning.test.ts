import t from 'tap';
import { planningDensity } from '../../../src/density/planning.ts';

const rows: readonly { readonly highest: number; readonly pods: number; readonly isMinimum: boolean }[] = [
  { highest: 0, pods: 30, isMinimum: true },
  { highest: 10, pods: 30, isMinimum: true },
  { highest: 20, pods: 30, isMinimum: true },
  { highest: 21, pods: 30, isMinimum: false },
  { highest: 30, pods: 30, isMinimum: false },
  { highest: 31, pods: 40, isMinimum: false },
  { highest: 45, pods: 50, isMinimum: false },
  { highest: 89, pods: 90, isMinimum: false },
  { highest: 90, pods: 90, isMinimum: false },
  { highest: 91, pods: 100, isMinimum: false },
  { highest: 110, pods: 110, isMinimum: false },
  { highest: 250, pods: 250, isMinimum: false },
];

for (const statistic of ['highWaterMark', 'allocatable'] as const) {
  for (const { highest, pods, isMinimum } of rows) {
    t.test(`${statistic} of at most ${highest}`, async (t) => {
      const marks = new Map([
        ['a', highest],
        ['b', Math.min(highest, 7)],
      ]);
      t.same(planningDensity({ statistic, marks, minimum: 30 }), {
        pods,
        origin: isMinimum ? 'minimum' : statistic,
      });
    });
  }
}

t.test('no nodes', async (t) => {
  t.same(planningDensity({ statistic: 'highWaterMark', marks: new Map(), minimum: 45 }), {
    pods: 45,
    origin: 'minimum',
  });
});

t.test('a fixed number is taken as it is', async (t) => {
  for (const pods of [1, 89, 91])
    t.same(planningDensity({ statistic: 'fixed', pods }), { pods, origin: 'fixed' });
});
