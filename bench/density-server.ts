// The API server of bench/density.ts: a process of its own, so that what it costs is nobody else's.
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { issueAuthority, issueServing } from '../src/tls/authority.ts';

const [NODES, PODS, INFORMER_PODS] = process.argv.slice(2, 5).map(Number) as [number, number, number];
const folder = process.argv[5] ?? '';

const nodeOf = (pod: number) => `worker-${String(pod % NODES).padStart(4, '0')}.example.com`;
const nameOf = (pod: number) => `web-${(pod * 2654435761) % 4294967296}-${pod.toString(36).padStart(5, '0')}`;

/** As long as the API server's own. */
const columns = [
  ['Name', 373],
  ['Ready', 64],
  ['Status', 51],
  ['Restarts', 121],
  ['Age', 412],
  ['IP', 101],
  ['Node', 428],
  ['Nominated Node', 553],
  ['Readiness Gates', 283],
].map(([name, length]) => ({
  name,
  type: 'string',
  format: '',
  description: 'x'.repeat(Number(length)),
  priority: 0,
}));

const rowOf = (pod: number) => ({
  cells: [
    nameOf(pod),
    '1/1',
    'Running',
    '0',
    '12d',
    `10.42.${pod % 250}.${pod % 253}`,
    nodeOf(pod),
    '<none>',
    '<none>',
  ],
  object: null,
});

/** 7 kB: two containers and their managed fields; many real ones are larger. */
function wholePod(pod: number): object {
  const env = Array.from({ length: 20 }, (_, index) => ({
    name: `VARIABLE_${index}`,
    value: `value-${pod}-${index}`,
  }));
  const container = (name: string) => ({
    name,
    image: `registry.example.com/team/${name}:1.2.3`,
    env,
    resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '100m', memory: '256Mi' } },
    volumeMounts: [
      { name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    ],
  });
  const fields = Object.fromEntries(
    env.map(({ name }) => [`k:{"name":"${name}"}`, { '.': {}, 'f:name': {}, 'f:value': {} }]),
  );
  return {
    metadata: {
      name: nameOf(pod),
      namespace: 'default',
      uid: `00000000-0000-4000-8000-${String(pod).padStart(12, '0')}`,
      resourceVersion: String(pod),
      labels: { app: 'web', team: 'shop' },
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          fieldsV1: { 'f:spec': { a: fields, b: fields } },
        },
        { manager: 'kubelet', operation: 'Update', fieldsV1: { 'f:status': fields } },
      ],
    },
    spec: { nodeName: nodeOf(pod), containers: [container('main'), container('sidecar')] },
    status: { phase: 'Running', podIP: `10.42.${pod % 250}.${pod % 253}`, hostIP: '10.0.0.1' },
  };
}

/** Writes a kubeconfig into the folder; tells the parent, whenever it asks, how many bytes were sent until now. */
async function serve(): Promise<void> {
  const life = { now: new Date(), validForDays: 1 };
  const authority = await issueAuthority({ commonName: 'bench', ...life });
  const serving = await issueServing(authority, { names: ['127.0.0.1'], ...life });
  const sockets = new Set<Socket>();
  let closedBytes = 0;
  const tls = { cert: serving.certificatePem, key: serving.privateKeyPem };
  const server = createServer(tls, (request, answer) => {
    const { searchParams } = new URL(request.url ?? '', 'https://bench');
    answer.setHeader('content-type', 'application/json');
    // The informer's watch stays quiet.
    if (searchParams.has('watch')) return void answer.write('\n');
    if (!`${request.headers.accept}`.includes('as=Table')) {
      const items = Array.from({ length: INFORMER_PODS }, (_, pod) => JSON.stringify(wholePod(pod)));
      return void answer.end(
        `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[${items.join(',')}]}`,
      );
    }
    const from = Number(searchParams.get('continue') ?? 0);
    const count = Math.min(Number(searchParams.get('limit')), PODS - from);
    const next = from + count < PODS ? String(from + count) : '';
    const rows = Array.from({ length: count }, (_, index) => rowOf(from + index));
    return void answer.end(
      JSON.stringify({
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: '1', continue: next },
        columnDefinitions: columns,
        rows,
      }),
    );
  });
  // Below TLS, so with headers and records.
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      closedBytes += socket.bytesWritten;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const config = {
    'current-context': 'bench',
    clusters: [
      {
        name: 'bench',
        cluster: {
          server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
          'certificate-authority-data': Buffer.from(authority.certificatePem).toString('base64'),
        },
      },
    ],
    users: [{ name: 'bench', user: { token: 'bench' } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
  };
  await writeFile(join(folder, 'config'), JSON.stringify(config));
  process.on('message', () => {
    process.send?.([...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, closedBytes));
  });
  process.send?.(0);
}

await serve();
