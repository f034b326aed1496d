import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { KubeError } from '../../src/kube/failures.ts';
import { isObject } from '../../src/object/object.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { freePorts } from '../cluster/harness/ports.ts';
import { page, type Reply, type Seen } from '../unit/kube/fake-api.ts';
import { type FakeCluster, fakeCluster } from '../unit/kube/fake-cluster.ts';
import { type Fate, MemoryCluster, MUTATING, SECRET, VALIDATING } from '../unit/server/memory-cluster.ts';
import { configurationOf, reviewOf, scratch, until } from './harness.ts';

// Keys take a while to make on a busy machine.
t.setTimeout(120_000);

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/ours/leases/plimsoll-leader';
const REVIEW = JSON.stringify(reviewOf({ uid: 'u', operation: 'CREATE', object: { kind: 'Thing' } }));

/** An API server on loopback: `memory` has what certificates are about, lists are empty. */
async function apiServer(t: Parameters<typeof fakeCluster>[0], memory: MemoryCluster) {
  const cluster: FakeCluster = await fakeCluster(t);
  const world = { cluster, fate: async (_verb: string): Promise<Fate> => 'done' };
  const api = memory.api((verb) => world.fate(verb));
  const answer = async ({ method, path, headers, body }: Seen): Promise<Reply> => {
    const sent: unknown = body === '' ? {} : JSON.parse(body);
    if (!isObject(sent)) return { status: 400 };
    try {
      if (method === 'GET') return { json: await api.get(path) };
      if (method === 'PUT') return { json: await api.update(path, sent) };
      const isApply = headers['content-type'] === 'application/apply-patch+yaml';
      return { json: await (isApply ? api.apply(path, sent, '') : api.merge(path, sent, '')) };
    } catch (error) {
      if (error instanceof KubeError) return { status: error.status ?? 503 };
      throw error;
    }
  };
  cluster.before = (request) => {
    if ([SECRET, VALIDATING, MUTATING].includes(request.path)) return answer(request);
    return request.query.has('limit') ? page([]) : undefined;
  };
  return world;
}

/** The real server, before that API server. */
async function start(t: Parameters<typeof scratch>[0], url: string, signal?: AbortSignal) {
  const folder = await scratch(t);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
      clusters: [{ name: 'test', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'test', user: {} }],
    }),
  );
  process.env['KUBECONFIG'] = kubeconfig;
  const [port, healthPort] = (await freePorts(2)) as [number, number];
  const configFile = join(folder, 'plimsoll.yaml');
  const configuration = configurationOf(folder, {
    listen: { host: '127.0.0.1', port, healthPort },
    cluster: { enabled: true, namespace: 'ours', pollSeconds: 5 },
    tls: { mode: 'selfManaged', pollSeconds: 0.1 },
  });
  await writeFile(configFile, JSON.stringify(configuration));
  const log = new Writable({ write: (_chunk, _encoding, done) => done() });
  const server = startServer({ configFile, version: '0.0.0-test', log, ...(signal && { signal }) });
  // Whoever waits for it hears of it.
  server.catch(() => {});
  const health = async (path: string) => {
    const sent = get({ host: '127.0.0.1', port: healthPort, path, agent: false });
    try {
      const [answer] = await once(sent, 'response');
      return `${answer.statusCode} ${await text(answer)}`;
    } catch {
      return 'closed';
    }
  };
  return { server, port, health };
}

const serials = new WeakMap<object, string>();

/** Calls as the API server does, trusting only that bundle; the answer is the serial number of what was served. */
async function call(port: number, ca: string, agent = new Agent({ keepAlive: false })): Promise<string> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(REVIEW) };
  const servername = 'plimsoll.ours.svc';
  const to = { host: '127.0.0.1', port, path: '/validate', method: 'POST', headers, ca, servername, agent };
  const sent = request(to).end(REVIEW);
  const [answer] = await once(sent, 'response');
  // Told only once for each connection.
  const serial = serials.get(answer.socket) ?? answer.socket.getPeerX509Certificate().serialNumber;
  serials.set(answer.socket, serial);
  await text(answer);
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
  return serial;
}

t.test('who waits for the leader says so, and can be stopped', async (t) => {
  const { cluster } = await apiServer(t, new MemoryCluster());
  cluster.objects.set(LEASE, { metadata: { resourceVersion: '1' }, spec: { holderIdentity: 'other' } });
  const stopping = new AbortController();
  const { server, port, health } = await start(t, cluster.url, stopping.signal);
  const expected = '503 certificate: Secret ours/plimsoll-tls: there is none yet; the leader will make one\n';
  t.equal(
    await until(
      () => health('/readyz'),
      (answer) => answer === expected,
    ),
    expected,
  );
  t.match(await health('/healthz'), '200');
  await t.rejects(call(port, ''), { code: 'ECONNREFUSED' });
  stopping.abort();
  await t.rejects(server, stopping.signal.reason);
  t.equal(await health('/healthz'), 'closed');
});

t.test('served, changed and refused', async (t) => {
  const memory = new MemoryCluster();
  const world = await apiServer(t, memory);
  const { server, port, health } = await start(t, world.cluster.url);
  const running: RunningServer = await server;
  t.teardown(() => running.stop(0));
  t.equal(
    await until(
      () => health('/readyz'),
      (answer) => answer === '200 ready\n',
    ),
    '200 ready\n',
  );
  const bundle = () => memory.bundles()[0] ?? '';
  const first = await call(port, bundle());
  t.match(await health('/metrics'), /^plimsoll_certificate_accepted 1$/m);
  for (const certificate of ['serving', 'authority'])
    t.match(
      await health('/metrics'),
      `plimsoll_certificate_expiry_timestamp_seconds{certificate="${certificate}"} `,
    );

  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  const before = bundle();
  t.equal(await call(port, before, kept), first);
  memory.objects.delete(SECRET);
  const second = await until(
    () => call(port, bundle()),
    (serial) => serial !== first,
  );
  t.not(second, first, 'without a restart');
  t.equal(await call(port, before, kept), first, 'a connection that is kept goes on');
  kept.destroy();

  world.fate = async (verb) => {
    if (verb === 'MERGE') throw new KubeError('forbidden', { status: 403 });
    return 'done';
  };
  memory.revert(MUTATING, '');
  const refused = await until(
    () => health('/readyz'),
    (answer) => answer.includes('permit'),
  );
  t.match(
    refused,
    'certificate: MutatingWebhookConfiguration plimsoll: the caBundle of floors does not vouch',
  );
  t.match(refused, /^certificates: PATCH .*: the API server does not permit it \(403\)$/m);
  t.match(await health('/metrics'), /^plimsoll_certificate_accepted 0$/m);
});
