import t from 'tap';
import { FlightCache } from '../../../src/evaluate/cache.ts';

/** A clock that stands still, and a load that counts. */
function setUp(capacity: number) {
  const clock = { now: 0 };
  const loads: string[] = [];
  const cache = new FlightCache<string>(capacity, () => clock.now);
  const get = (key: string, value = key, milliseconds = 100) =>
    cache.get(
      key,
      async () => {
        loads.push(key);
        return value;
      },
      () => milliseconds,
    );
  return { cache, clock, loads, get };
}

t.test('a value is kept for its time', async (t) => {
  const { clock, loads, get } = setUp(10);
  t.equal(await get('a', 'first', 100), 'first');
  clock.now = 99;
  t.equal(await get('a', 'second'), 'first');
  clock.now = 100;
  t.equal(await get('a', 'third'), 'third', 'and not a millisecond longer');
  t.same(loads, ['a', 'a']);
});

t.test('each value for its own time', async (t) => {
  const { clock, loads, get } = setUp(10);
  await get('good', 'v', 1000);
  await get('failure', 'v', 10);
  clock.now = 10;
  await get('good');
  await get('failure');
  t.same(loads, ['good', 'failure', 'failure']);
});

t.test('no time at all is not kept', async (t) => {
  const { cache, loads, get } = setUp(10);
  await get('a', 'v', 0);
  t.equal(cache.size, 0);
  await get('a', 'v', -1);
  t.same(loads, ['a', 'a']);
});

t.test('a value that may not be kept takes the place of none that was', async (t) => {
  const { cache, clock, get } = setUp(10);
  await get('a', 'old', 10);
  clock.now = 10;
  t.equal(await get('a', 'new', 0), 'new');
  t.equal(cache.size, 0);
});

t.test('one flight at a time', async (t) => {
  const { cache, loads } = setUp(10);
  let land = (_value: string) => {};
  const load = () => {
    loads.push('a');
    return new Promise<string>((resolve) => (land = resolve));
  };
  const asked = [1, 2, 3].map(() => cache.get('a', load, () => 100));
  land('landed');
  t.same(await Promise.all(asked), ['landed', 'landed', 'landed']);
  t.same(loads, ['a']);
});

t.test('flights of other keys go on beside it', async (t) => {
  const { cache, get } = setUp(10);
  const never = cache.get(
    'a',
    () => new Promise<string>(() => {}),
    () => 100,
  );
  never.catch(() => {});
  t.equal(await get('b'), 'b');
});

t.test('a failed load is everybody’s, and is not kept', async (t) => {
  const { cache, get } = setUp(10);
  let crash = (_error: Error) => {};
  const load = () => new Promise<string>((_, reject) => (crash = reject));
  const asked = [1, 2].map(() => cache.get('a', load, () => 100));
  crash(new Error('failed'));
  for (const one of asked) await t.rejects(one, { message: 'failed' });
  t.equal(cache.size, 0);
  t.equal(await get('a', 'now'), 'now', 'and the next one loads again');
});

t.test('the oldest makes room', async (t) => {
  const { cache, loads, get } = setUp(2);
  for (const key of ['a', 'b', 'c']) await get(key);
  t.equal(cache.size, 2);
  await get('b');
  await get('c');
  t.same(loads, ['a', 'b', 'c'], 'these two are kept');
  await get('a');
  t.same(loads, ['a', 'b', 'c', 'a']);
});

t.test('a value that is loaded again takes no second place', async (t) => {
  const { cache, clock, get } = setUp(2);
  await get('a');
  await get('b', 'b', 1000);
  clock.now = 100;
  await get('a');
  t.equal(cache.size, 2);
  t.equal(await get('b', 'other'), 'b', 'b did not have to go');
});

t.test('never more than its capacity, whatever is asked', async (t) => {
  const { cache, get } = setUp(5);
  await Promise.all(Array.from({ length: 100 }, (_, index) => get(`key ${index % 37}`)));
  t.equal(cache.size, 5);
});
