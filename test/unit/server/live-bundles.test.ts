import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import t from 'tap';
import { systemClock } from '../../../src/kube/clock.ts';
import { KubeError } from '../../../src/kube/failures.ts';
import { followBundles } from '../../../src/server/live-bundles.ts';
import { issueAuthority, issueServing } from '../../../src/tls/authority.ts';
import { type Fate, MemoryCluster, MUTATING, VALIDATING } from './memory-cluster.ts';

const now = new Date();
const authority = await issueAuthority({ commonName: 'CA', now, validForDays: 30 });
const leaf = await issueServing(authority, { names: ['a.ns.svc'], now, validForDays: 10 });

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

t.test('live configurations are followed', async (t) => {
  const cluster = new MemoryCluster();
  let fate = async (): Promise<Fate> => {
    throw new KubeError('forbidden', { status: 403, during: 'GET configurations' });
  };
  const bundles = followBundles({
    api: cluster.api(() => fate()),
    name: 'plimsoll',
    intervalMs: 5,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
  });
  t.teardown(bundles.stop);
  const missing = () => bundles.missing(leaf);
  t.same(missing(), ['certificate: webhook configurations plimsoll: not read yet']);
  await until(() => !missing()[0]!.includes('not read yet'));
  t.match(missing(), [/^certificate: webhook configurations plimsoll: .*403/], 'why it cannot be read');
  t.same(bundles.notes(), []);

  fate = async () => 'done';
  await until(() => missing().length === 3);
  t.match(
    missing(),
    [/caBundle of volumes/, /caBundle of floors/, /caBundle of floors/],
    'nothing published',
  );
  cluster.revert(VALIDATING, authority.certificatePem);
  await until(() => missing().length === 1);
  t.match(missing(), [/MutatingWebhookConfiguration/]);
  cluster.revert(MUTATING, authority.certificatePem);
  await until(() => missing().length === 0);

  fate = async () => {
    throw new Error('secret detail');
  };
  await until(() => bundles.notes().length > 0);
  t.same(bundles.notes(), ['certificate: webhook configurations plimsoll: an error of our own']);
  t.same(missing(), [], 'the last that was read holds');
  fate = async () => 'done';
  await until(() => bundles.notes().length === 0);
  t.same(cluster.writes, [], 'nothing is written');
});

t.test('nobody has to trust it before there is a webhook', async (t) => {
  const cluster = new MemoryCluster();
  cluster.objects.clear();
  const bundles = followBundles({
    api: cluster.api(),
    name: 'plimsoll',
    intervalMs: 5,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
  });
  t.teardown(bundles.stop);
  await until(() => bundles.missing(leaf).length === 0);
  t.same(bundles.notes(), []);
});
