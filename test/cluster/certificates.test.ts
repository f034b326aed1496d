// Self-managed certificates on a real API server, which reaches two processes of `plimsoll serve` by clientConfig.service
// and shows them a certificate of its own. They have the rights that src/server/self-managed.ts names, and no others.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { connectCluster } from '../../src/kube/client.ts';
import { at, textAt } from '../../src/object/object.ts';
import { openAddress } from './certificates/address.ts';
import { writeCallers } from './certificates/callers.ts';
import {
  applyConfigurations,
  bundlesOf,
  KINDS,
  ownedFields,
  readConfigurations,
  withoutBundle,
} from './certificates/configurations.ts';
import {
  AUDIT_POLICY,
  MULTUS,
  NAMESPACE,
  RIGHTS,
  SECRET,
  VOLUME,
  type WebhookName,
  webhookConfigurations,
} from './certificates/objects.ts';
import { type Replica, servedAt, startReplica } from './certificates/replica.ts';
import { createVolume, limitOfMultus, startWriting } from './certificates/stream.ts';
import { startCluster } from './harness/cluster.ts';
import { until } from './harness/until.ts';

t.setTimeout(600_000);

const POLL_SECONDS = 0.5;
const DAY_SECONDS = 86_400;

const folder = await mkdtemp(join(tmpdir(), 'plimsoll-certificates-'));
const { clientCAFile, admissionControlFile } = await writeCallers(folder, 'kube-apiserver');
const cluster = await startCluster({
  crds: ['cdi'],
  auditPolicy: AUDIT_POLICY,
  flags: [`--admission-control-config-file=${admissionControlFile}`],
});
const address = await openAddress();
const replicas: Replica[] = [];
t.teardown(async () => {
  for (const { program } of replicas) await program.stop();
  address.close();
  await cluster.stop();
  await rm(folder, { recursive: true });
});

const { kubectl } = cluster;
await kubectl.must(['create', '-f', '-'], RIGHTS);
const kubeconfig = await cluster.userKubeconfig('plimsoll', []);
const { api, close } = await connectCluster(
  { kind: 'kubeconfig', file: cluster.kubeconfig },
  'plimsoll/test',
);
t.teardown(close);

const apply = (...names: WebhookName[]) => applyConfigurations(kubectl, address.port, ...names);
const bundles = () => bundlesOf(kubectl);
const secretData = async () => at(await kubectl.getJson('secret', SECRET, '-n', NAMESPACE), 'data') ?? {};
const live = () => replicas.filter(({ program }) => !program.hasEnded());
const served = () => Promise.all(live().map(({ port }) => servedAt(port)));
const isJudged = async () =>
  (await createVolume(api)) === null && (await limitOfMultus(api).catch(() => '')) === '500Mi';
const areReady = async () =>
  (await Promise.all(live().map(({ readiness }) => readiness()))).every((text) => text === 'ready\n');

let lives: object = { authorityDays: 365, leafDays: 90 };
async function addReplica(tls: object = {}): Promise<Replica> {
  const own = { pollSeconds: POLL_SECONDS, clientCAFile, clientNames: ['kube-apiserver'] };
  const options = { kubeconfig, drainSeconds: 3, tls: { ...own, ...lives, ...tls } };
  const replica = await startReplica(cluster, options);
  replicas.push(replica);
  address.servers = live().map(({ port }) => port);
  return replica;
}
async function end(replica: Replica): Promise<void> {
  process.kill(replica.program.pid, 'SIGTERM');
  await replica.program.ended;
  address.servers = live().map(({ port }) => port);
}

t.test('from nothing to ready', async (t) => {
  await apply('volumes', 'floors');
  const before = await readConfigurations(kubectl);
  t.same(await bundles(), ['', '']);
  await Promise.all([addReplica(), addReplica()]);
  await Promise.all(replicas.map(({ untilReady }) => untilReady()));
  t.ok(await areReady());
  await until('the API server calls us', isJudged);

  t.same(
    (await readConfigurations(kubectl)).map(withoutBundle),
    before.map(withoutBundle),
    'but for caBundle',
  );
  for (const configuration of await readConfigurations(kubectl))
    t.match(ownedFields(configuration), [/^f:webhooks k:\{"name":"[a-z.]+"\} f:clientConfig f:caBundle$/]);
  const [one, other] = await served();
  t.ok(one !== null && one === other, 'both serve the same');
  const leads = await Promise.all(replicas.map(({ metric }) => metric('plimsoll_leader')));
  t.same(leads.toSorted(), [0, 1], 'one leads');
  for (const { metric } of replicas) {
    t.equal(await metric('plimsoll_certificate_accepted'), 1);
    for (const [certificate, days] of [
      ['serving', 90],
      ['authority', 365],
    ] as const) {
      const end = await metric(`plimsoll_certificate_expiry_timestamp_seconds{certificate="${certificate}"}`);
      t.equal(Math.ceil((end ?? 0) / DAY_SECONDS - Date.now() / 1000 / DAY_SECONDS), days, certificate);
    }
  }
});

t.test('who calls shows a certificate, and has the right name', async (t) => {
  const others = address.servers;
  const stranger = await addReplica({ clientNames: ['somebody else'] });
  await stranger.untilReady();
  address.servers = [stranger.port];
  address.cut();
  t.match(await createVolume(api), /KubeError/, 'not by the name of the API server');
  await end(stranger);
  t.same(address.servers, others);
  t.equal(await createVolume(api), null);
});

t.test('a caBundle that was reverted is mended within seconds', async (t) => {
  const good = await bundles();
  const replace = (manifest: string) => kubectl.must(['replace', '-f', '-'], manifest);
  for (const [what, revert] of [
    ['replaced by none', () => replace(webhookConfigurations(address.port, ['volumes', 'floors']))],
    [
      'another one forced upon us',
      () =>
        Promise.all(
          KINDS.map((kind) => {
            const patch = [
              {
                op: 'replace',
                path: '/webhooks/0/clientConfig/caBundle',
                value: good[0]!.replace(/.{8}/, 'LS0tLS1C').slice(0, 400),
              },
            ];
            return kubectl.must(['patch', kind, 'plimsoll', '--type=json', '-p', JSON.stringify(patch)]);
          }),
        ),
    ],
  ] as const) {
    await revert();
    const began = Date.now();
    await until(`${what}: mended`, async () => (await bundles()).every((bundle) => bundle === good[0]));
    t.comment(`${what}: mended after ${Date.now() - began} ms at most`);
    t.ok(
      (await bundles()).every((bundle) => bundle === good[0]),
      what,
    );
    await until(`${what}: judged`, isJudged);
    await until(`${what}: ready`, areReady);
  }
});

t.test('webhooks come and go by server-side apply, as an upgrade does it', async (t) => {
  await apply('volumes', 'exemptions', 'floors');
  await until('the new one is trusted', async () => {
    const all = await bundles();
    return all.length === 3 && new Set(all).size === 1;
  });
  await apply('volumes', 'floors');
  t.equal((await bundles()).length, 2, 'nothing of ours kept the webhook');
  t.ok(await isJudged());
});

t.test('a Secret that is deleted, or spoiled, is made anew, and no call fails', async (t) => {
  const writing = startWriting(api);
  for (const spoil of [
    () => kubectl.must(['delete', 'secret', SECRET, '-n', NAMESPACE]),
    () => {
      const patch = JSON.stringify({ data: { 'signing-ca.key': 'c3BvaWxlZA==', 'tls.crt': null } });
      return kubectl.must(['patch', 'secret', SECRET, '-n', NAMESPACE, '-p', patch]);
    },
  ]) {
    const [before] = await served();
    await spoil();
    await until('all serve another one', async () => {
      const [one, ...others] = await served();
      return one !== null && one !== before && others.every((other) => other === one);
    });
    t.ok(textAt(await secretData(), 'tls.crt'));
    await until('all are ready', areReady);
  }
  const writes = await writing.stop();
  t.same(
    writes.filter(({ problem }) => problem !== null),
    [],
  );
  t.ok(writes.length > 20, `${writes.length} writes`);
});

t.test('one is killed, then both are replaced in turn', async (t) => {
  const writing = startWriting(api);
  await setTimeout(2000);
  const victim = live()[0]!;
  const killed = Date.now();
  process.kill(victim.program.pid, 'SIGKILL');
  await victim.program.ended;
  await until('its connections have ended', () => address.leadingTo(victim.port) === 0);
  const noticed = Date.now();
  await (await addReplica()).untilReady();
  const began = Date.now();
  for (const old of live().slice(0, 2)) {
    await (await addReplica()).untilReady();
    await end(old);
  }
  await setTimeout(2000);
  const writes = await writing.stop();
  const failed = writes.filter(({ problem }) => problem !== null);
  const others = failed.filter((write) => write.began > noticed || write.ended < killed);
  t.same(others, [], `only what was under way on the killed one, from ${killed} to ${noticed}`);
  t.ok(writes.filter((write) => write.began > began).length > 20);
  t.comment(`${writes.length} writes, ${failed.length} of them under way on the one that was killed`);
});

t.test('authority and leaf are renewed many times, and no call fails', async (t) => {
  lives = { authorityDays: 60 / DAY_SECONDS, leafDays: 30 / DAY_SECONDS };
  for (const old of live()) {
    await (await addReplica()).untilReady();
    await end(old);
  }
  await until('one of them leads', async () => {
    const leads = await Promise.all(live().map(({ metric }) => metric('plimsoll_leader')));
    return leads.includes(1);
  });
  await kubectl.must(['delete', 'secret', SECRET, '-n', NAMESPACE]);
  const [before] = await served();
  await until('short-lived ones are served', async () => (await served()).every((one) => one !== before));

  const writing = startWriting(api);
  const leaves = new Set<string | null>();
  const published = new Set<string>();
  const over = Date.now() + 120_000;
  while (Date.now() < over) {
    for (const leaf of await served()) leaves.add(leaf);
    for (const bundle of await bundles()) published.add(bundle);
    await setTimeout(500);
  }
  const writes = await writing.stop();
  t.same(
    writes.filter(({ problem }) => problem !== null),
    [],
  );
  t.comment(`${writes.length} writes, ${leaves.size} leaves, ${published.size} bundles`);
  t.ok(leaves.size >= 5, 'leaves');
  t.ok(published.size >= 5, 'the old, both and the new, twice');
  t.ok(writes.length > 100);
});

t.test('when the webhook is down', async (t) => {
  for (const replica of live()) await end(replica);
  t.equal(await limitOfMultus(api), '50Mi', 'Multus can always be written');
  t.match(await kubectl.apply(JSON.stringify(MULTUS)), { code: 0 });
  await kubectl.must(['delete', 'daemonset', '-n', 'kube-system', 'kube-multus-ds']);
  t.match(await createVolume(api), /KubeError/, 'Fail refuses');
  const refused = await kubectl.run(['create', '-f', '-'], JSON.stringify(VOLUME));
  t.match(refused, { code: 1, stderr: /failed calling webhook "volumes\.plimsoll\.dev"/ });
  const ignore = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }];
  await kubectl.must(['patch', KINDS[0], 'plimsoll', '--type=json', '-p', JSON.stringify(ignore)]);
  await until('Ignore lets it through', async () => (await createVolume(api)) === null);
  await (await addReplica()).untilReady();
  await until('it judges again', async () => (await limitOfMultus(api)) === '500Mi');
});

t.test('the rights were enough', async (t) => {
  const ours = ['secrets', 'leases', `${KINDS[0]}s`, `${KINDS[1]}s`];
  const events = (await cluster.apiServer.auditEvents()).filter((event) =>
    ours.includes(textAt(event, 'objectRef', 'resource') ?? ''),
  );
  const refused = events.filter((event) => at(event, 'responseStatus', 'code') === 403);
  t.same(
    refused.map((event) => [at(event, 'verb'), at(event, 'requestURI')]),
    [],
  );
  const asked = events.map((event) =>
    ['verb', 'resource', 'name'].map((what) => at(event, what) ?? at(event, 'objectRef', what)).join(' '),
  );
  t.same([...new Set(asked)].filter((what) => !what.includes('leases')).toSorted(), [
    'get mutatingwebhookconfigurations plimsoll',
    'get secrets plimsoll-tls',
    'get validatingwebhookconfigurations plimsoll',
    'patch mutatingwebhookconfigurations plimsoll',
    'patch secrets plimsoll-tls',
    'patch validatingwebhookconfigurations plimsoll',
    'update secrets plimsoll-tls',
  ]);
});
