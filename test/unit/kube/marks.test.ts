import t from 'tap';
import { MARKS_NAME, RESET_ANNOTATION, readMarks, writeMarks } from '../../../src/kube/marks.ts';
import { at, objectAt } from '../../../src/object/object.ts';
import { FakeClock, status } from './fake-api.ts';
import { type FakeCluster, fakeCluster } from './fake-cluster.ts';

const PATH = `/api/v1/namespaces/ours/configmaps/${MARKS_NAME}`;
const pass = () => new FakeClock().pass();
const marks = (counts: Record<string, number>) => new Map(Object.entries(counts));
const read = (cluster: FakeCluster) => readMarks(cluster.api, 'ours', 'highWaterMark', pass());
const write = (
  cluster: FakeCluster,
  stored: Awaited<ReturnType<typeof readMarks>>,
  counts: Record<string, number>,
) => writeMarks(cluster.api, 'ours', 'highWaterMark', stored, marks(counts), pass());
const annotate = (cluster: FakeCluster, value: string) =>
  cluster.change(PATH, (object) => ({
    ...object,
    metadata: { ...objectAt(object, 'metadata'), annotations: { [RESET_ANNOTATION]: value, other: 'x' } },
  }));

t.test('none stored', async (t) => {
  t.equal(await read(await fakeCluster(t)), null);
});

t.test('what is written is read', async (t) => {
  const cluster = await fakeCluster(t);
  const written = await write(cluster, null, { a: 90, b: 30 });
  const stored = await read(cluster);
  t.same(stored, written);
  t.match(stored, { marks: marks({ a: 90, b: 30 }), isResetAsked: false });
  t.match(cluster.objects.get(PATH), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { labels: { 'app.kubernetes.io/managed-by': 'plimsoll' } },
    data: { 'highWaterMark.json': '{"a":90,"b":30}' },
  });
});

t.test('the same marks are not written again', async (t) => {
  const cluster = await fakeCluster(t);
  const stored = await write(cluster, null, { a: 90, b: 30 });
  t.equal(await write(cluster, stored, { b: 30, a: 90 }), stored);
  t.equal(cluster.writes(), 1);
  await write(cluster, stored, { a: 91, b: 30 });
  t.equal(cluster.writes(), 2);
});

t.test('what others put there stays', async (t) => {
  const cluster = await fakeCluster(t);
  await write(cluster, null, { a: 1 });
  cluster.change(PATH, (object) => ({
    ...object,
    data: { ...objectAt(object, 'data'), note: 'mine', 'allocatable.json': '{"a":110}' },
  }));
  await write(cluster, await read(cluster), { a: 2 });
  t.same(at(cluster.objects.get(PATH), 'data'), {
    'highWaterMark.json': '{"a":2}',
    'allocatable.json': '{"a":110}',
    note: 'mine',
  });
});

t.test('each statistic has its own marks', async (t) => {
  const cluster = await fakeCluster(t);
  await write(cluster, null, { a: 1 });
  const stored = await readMarks(cluster.api, 'ours', 'allocatable', pass());
  t.equal(stored?.marks, null, 'not counted yet');
  await writeMarks(cluster.api, 'ours', 'allocatable', stored, marks({ a: 110 }), pass());
  t.same((await read(cluster))?.marks, marks({ a: 1 }));
  t.same((await readMarks(cluster.api, 'ours', 'allocatable', pass()))?.marks, marks({ a: 110 }));
});

t.test('who comes late is told', async (t) => {
  const cluster = await fakeCluster(t);
  const stored = await write(cluster, null, { a: 1 });
  await write(cluster, stored, { a: 2 });
  await t.rejects(write(cluster, stored, { a: 3 }), { code: 'conflict' });
  await t.rejects(write(cluster, null, { a: 3 }), { code: 'conflict' });
});

t.test('a reset', async (t) => {
  const cluster = await fakeCluster(t);
  const before = await write(cluster, null, { a: 250 });
  annotate(cluster, 'true');
  const asked = await read(cluster);
  t.match(asked, { isResetAsked: true, epoch: before.epoch, marks: marks({ a: 250 }) });
  const after = await write(cluster, asked, { a: 10 });
  t.match(after, { isResetAsked: false, marks: marks({ a: 10 }) });
  t.not(after.epoch, before.epoch);
  t.match(cluster.objects.get(PATH), { data: { 'highWaterMark.json': '{"a":10}', resets: '1' } });
  t.same(at(cluster.objects.get(PATH), 'metadata', 'annotations'), { other: 'x' });

  annotate(cluster, 'true');
  const again = await write(cluster, await read(cluster), { a: 10 });
  t.not(again.epoch, after.epoch, 'also where the marks stay the same');
});

t.test('a reset forgets the other statistic too', async (t) => {
  const cluster = await fakeCluster(t);
  await write(cluster, null, { a: 1 });
  const stored = await readMarks(cluster.api, 'ours', 'allocatable', pass());
  await writeMarks(cluster.api, 'ours', 'allocatable', stored, marks({ a: 110 }), pass());
  annotate(cluster, 'true');
  await write(cluster, await read(cluster), { a: 1 });
  t.equal((await readMarks(cluster.api, 'ours', 'allocatable', pass()))?.marks, null);
});

t.test('only "true" asks for a reset', async (t) => {
  const cluster = await fakeCluster(t);
  await write(cluster, null, { a: 1 });
  for (const value of ['false', '', 'True', 'yes']) {
    annotate(cluster, value);
    t.equal((await read(cluster))?.isResetAsked, false, value);
  }
});

t.test('a ConfigMap that was deleted and made again is another epoch', async (t) => {
  const cluster = await fakeCluster(t);
  const first = await write(cluster, null, { a: 1 });
  cluster.objects.delete(PATH);
  t.not((await write(cluster, null, { a: 1 })).epoch, first.epoch);
});

t.test('what people write there is read with care', async (t) => {
  const cluster = await fakeCluster(t);
  await write(cluster, null, { a: 1 });
  for (const data of [{ 'highWaterMark.json': 'oops', resets: 'many' }, { 'highWaterMark.json': 7 }]) {
    cluster.change(PATH, (object) => ({ ...object, data }));
    t.same((await read(cluster))?.marks, marks({}));
  }
  cluster.change(PATH, (object) => ({ ...object, data: null }));
  t.equal((await read(cluster))?.marks, null);
});

t.test('who may not read them is told so', async (t) => {
  const cluster = await fakeCluster(t);
  cluster.before = () => status(403, 'Forbidden');
  await t.rejects(read(cluster), { code: 'forbidden' });
});
