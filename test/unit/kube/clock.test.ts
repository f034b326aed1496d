import t from 'tap';
import { systemClock } from '../../../src/kube/clock.ts';

t.test('a sleep ends', async (t) => {
  await systemClock.sleep(1, new AbortController().signal);
  t.ok(systemClock.now() > 0);
});

t.test('who is woken early is told so', async (t) => {
  const controller = new AbortController();
  const asleep = systemClock.sleep(3_600_000, controller.signal);
  controller.abort();
  await t.rejects(asleep, { name: 'AbortError' });
  await t.rejects(systemClock.sleep(3_600_000, controller.signal), { name: 'AbortError' });
});
