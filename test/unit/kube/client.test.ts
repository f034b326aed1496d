import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { connectCluster } from '../../../src/kube/client.ts';
import { issueAuthority, issueClient, issueServing } from '../../../src/tls/authority.ts';

const life = { now: new Date(), validForDays: 1 };
const authority = await issueAuthority({ commonName: 'cluster', ...life });
const stranger = await issueAuthority({ commonName: 'another', ...life });
const serving = await issueServing(authority, { names: ['127.0.0.1'], ...life });
const ann = await issueClient(authority, { commonName: 'ann', organizations: [], ...life });
const bob = await issueClient(authority, { commonName: 'bob', organizations: [], ...life });

const folder = await mkdtemp(join(tmpdir(), 'plimsoll-kube-'));
t.teardown(() => rm(folder, { recursive: true }));
let files = 0;

interface Seen {
  readonly user: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly impersonate: string | string[] | undefined;
}

const listen = (server: Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );

/** An API server over TLS that says who asked. */
async function secureApi(t: { teardown(end: () => unknown): void }) {
  const seen: Seen[] = [];
  let connections = 0;
  const server = createServer(
    {
      cert: serving.certificatePem,
      key: serving.privateKeyPem,
      ca: authority.certificatePem,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, answer) => {
      const { CN } = (
        request.socket as unknown as { getPeerCertificate(): { subject?: { CN?: string } } }
      ).getPeerCertificate().subject ?? { CN: undefined };
      const { authorization, 'impersonate-user': impersonate } = request.headers;
      seen.push({ user: CN, url: request.url, authorization, impersonate });
      answer.end('{}');
    },
  );
  server.on('secureConnection', () => {
    connections += 1;
  });
  const url = `https://127.0.0.1:${await listen(server)}`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, seen, connections: () => connections };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A kubeconfig as a file: one cluster, one user, and the contexts `one` and `two`. */
async function kubeconfig(cluster: object, user: object = {}, more: object = {}): Promise<string> {
  const path = join(folder, `config-${files++}`);
  const context = { cluster: 'c', user: 'u' };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'one',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'one', context },
      { name: 'two', context: { ...context, namespace: 'vms' } },
    ],
    ...more,
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}
const trusted = (server: string) => ({
  server,
  'certificate-authority-data': base64(authority.certificatePem),
});
const connectTo = (file: string, context?: string) =>
  connectCluster({ kind: 'kubeconfig', file, context }, 'plimsoll/test');

/** Runs with these and no other variables of the environment that say where a cluster is. */
async function withEnvironment<T>(environment: Record<string, string>, run: () => Promise<T>): Promise<T> {
  const names = ['KUBECONFIG', 'HOME', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  Object.assign(process.env, environment);
  try {
    return await run();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

const users: readonly (readonly [name: string, user: object, seen: Partial<Seen>])[] = [
  [
    'a client certificate',
    {
      'client-certificate-data': base64(ann.certificatePem),
      'client-key-data': base64(ann.privateKeyPem),
    },
    { user: 'ann', authorization: undefined },
  ],
  ['a token', { token: 'abc' }, { authorization: 'Bearer abc' }],
  [
    'a name and a password',
    { username: 'ann', password: 'p:w' },
    { authorization: `Basic ${base64('ann:p:w')}` },
  ],
  ['as another', { token: 'abc', as: 'bob' }, { authorization: 'Bearer abc', impersonate: 'bob' }],
  [
    'a plug-in',
    {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        args: ['-e', 'console.log(JSON.stringify({ status: { token: "from-plug-in" } }))'],
      },
    },
    { authorization: 'Bearer from-plug-in' },
  ],
];

t.test('who asks', async (t) => {
  for (const [name, user, expected] of users)
    await t.test(name, async (t) => {
      const { url, seen, connections } = await secureApi(t);
      const { api, close } = await connectTo(await kubeconfig(trusted(url), user));
      for (let call = 0; call < 6; call++) await api.get('/version');
      t.equal(seen.length, 6);
      for (const one of seen) t.match(one, expected);
      // A call may begin before the connection of the one before it is free again.
      t.ok(connections() <= 2, 'connections are kept');
      await close();
    });
});

t.test('contexts', async (t) => {
  const { url } = await secureApi(t);
  const file = await kubeconfig(trusted(url), { token: 'abc' });
  t.match(await connectTo(file), { context: 'one', namespace: null });
  t.match(await connectTo(file, 'two'), { context: 'two', namespace: 'vms' });
});

t.test('a server behind a path', async (t) => {
  const { url, seen } = await secureApi(t);
  const { api, close } = await connectTo(await kubeconfig(trusted(`${url}/k8s/clusters/c-1/`)));
  await api.get('/api/v1/nodes');
  t.equal(seen[0]?.url, '/k8s/clusters/c-1/api/v1/nodes');
  await close();
});

t.test('certificates that are renewed on disk are taken up', async (t) => {
  const { url, seen } = await secureApi(t);
  const [cert, key] = [join(folder, 'user.crt'), join(folder, 'user.key')];
  const write = async (user: typeof ann) => {
    await writeFile(cert, user.certificatePem);
    await writeFile(key, user.privateKeyPem);
  };
  await write(ann);
  const user = { 'client-certificate': cert, 'client-key': key };
  const { api, close } = await connectTo(await kubeconfig(trusted(url), user));
  await api.get('/version');
  await write(bob);
  await api.get('/version');
  t.same(
    seen.map((one) => one.user),
    ['ann', 'bob'],
  );
  await rm(cert);
  await t.rejects(api.get('/version'), { code: 'credentials' });
  await close();
});

t.test('a server that another authority vouches for is not talked to', async (t) => {
  const { url, seen } = await secureApi(t);
  const cluster = { server: url, 'certificate-authority-data': base64(stranger.certificatePem) };
  for (const [name, of] of [
    ['another authority', cluster],
    ['none given', { server: url }],
    ['another name', { ...trusted(url), 'tls-server-name': 'elsewhere.example' }],
  ] as const) {
    const { api, close } = await connectTo(await kubeconfig(of, { token: 'secret' }));
    await t.rejects(api.get('/version'), { code: 'tls' }, name);
    await close();
  }
  t.same(seen, []);
});

t.test('through a proxy', async (t) => {
  const { url, seen } = await secureApi(t);
  const asked: (string | undefined)[] = [];
  const proxy = createProxy();
  proxy.on('connect', (request, socket) => {
    asked.push(request.url);
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on('error', () => {});
  });
  const port = await listen(proxy);
  t.teardown(() => proxy.close());
  const cluster = { ...trusted(url), 'proxy-url': `http://127.0.0.1:${port}` };
  const { api, close } = await connectTo(await kubeconfig(cluster, { token: 'abc' }));
  await api.get('/version');
  t.match(seen, [{ authorization: 'Bearer abc' }]);
  t.same(asked, [new URL(url).host]);
  await close();
});

const refused: readonly (readonly [name: string, file: () => Promise<string>, code: string])[] = [
  ['a file that is not there', async () => join(folder, 'none'), 'bad-kubeconfig'],
  ['plain http', () => kubeconfig({ server: 'http://127.0.0.1:1' }), 'bad-kubeconfig'],
  ['no URL', () => kubeconfig({ server: 'somewhere' }), 'bad-kubeconfig'],
  ['a server of another kind', () => kubeconfig({ server: 'ftp://127.0.0.1' }), 'bad-kubeconfig'],
  [
    'no such authority',
    () => kubeconfig({ server: 'https://a', 'certificate-authority': '/none' }),
    'credentials',
  ],
  [
    'a plug-in that fails',
    () =>
      kubeconfig(
        { server: 'https://a' },
        { exec: { command: process.execPath, args: ['-e', 'process.exit(1)'] } },
      ),
    'credentials',
  ],
  [
    'a proxy of another kind',
    () => kubeconfig({ server: 'https://a', 'proxy-url': 'ftp://a' }, { token: 'x' }),
    'bad-kubeconfig',
  ],
  [
    'no current context',
    () => kubeconfig({ server: 'https://a' }, {}, { 'current-context': '' }),
    'no-cluster',
  ],
  ['no clusters', () => kubeconfig({}, {}, { clusters: [] }), 'no-cluster'],
];

t.test('what cannot be used is told at once, and how', async (t) => {
  for (const [name, file, code] of refused) await t.rejects(connectTo(await file()), { code }, name);
  const broken = join(folder, 'broken');
  for (const content of ['', 'secret: [']) {
    await writeFile(broken, content);
    await t.rejects(connectTo(broken), { code: 'bad-kubeconfig' }, content);
  }
  await writeFile(broken, '7');
  await t.rejects(connectTo(broken), { code: 'no-cluster' });
  const file = await kubeconfig({ server: 'https://a' });
  await t.rejects(connectTo(file, 'three\n'), {
    code: 'bad-kubeconfig',
    message: 'the kubeconfig cannot be used: it has no context "three\\n"',
  });
});

t.test('http where the kubeconfig says that it is meant', async (t) => {
  const { close } = await connectTo(
    await kubeconfig({ server: 'http://127.0.0.1:1', 'insecure-skip-tls-verify': true }),
  );
  await close();
  t.ok(true);
});

t.test('no configuration at all is no cluster, and never localhost', async (t) => {
  await withEnvironment({ HOME: folder }, async () => {
    for (const choice of [{ kind: 'kubeconfig' }, { kind: 'in-cluster' }] as const)
      await t.rejects(connectCluster(choice, 'x'), { code: 'no-cluster' }, choice.kind);
  });
});

t.test('KUBECONFIG is followed', async (t) => {
  const { url, seen } = await secureApi(t);
  const file = await kubeconfig(trusted(url), { token: 'abc' });
  await withEnvironment({ KUBECONFIG: file, HOME: folder }, async () => {
    const { api, close } = await connectCluster({ kind: 'kubeconfig' }, 'x');
    await api.get('/version');
    await close();
  });
  t.equal(seen.length, 1);
});

t.test('in a pod without its files', async (t) => {
  const environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '443', HOME: folder };
  await withEnvironment(environment, () =>
    t.rejects(connectCluster({ kind: 'in-cluster' }, 'x'), { code: 'credentials' }),
  );
});
