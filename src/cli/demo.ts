import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { startServer } from '../server.ts';
import { LOCAL_NAMES, makeCertificates, writeCertificates } from './certs.ts';
import { type Command, type Terminal, wholeNumber } from './command.ts';
import { type DemoCase, demoCases } from './demo/cases.ts';
import { serveSamples } from './demo/images.ts';
import { version } from './version.ts';

const HELP = `plimsoll demo: the webhook at work, without a cluster

Usage: plimsoll demo [--serve] [--density N] [--dir certs]

Makes a development CA, serves the webhook over TLS and sample images over HTTP, both on loopback, sends it
AdmissionReviews as the API server would, and prints the verdicts. The sample images are headers of real sizes
with nothing behind them.

  --serve       stay, with the webhook listening, until interrupted
  --density N   pods on the densest node (default: 90)
  --dir DIR     where the certificates go (default: certs)
`;

interface Response {
  readonly allowed: boolean;
  readonly status?: { readonly message: string };
  readonly warnings?: readonly string[];
  readonly patch?: string;
}

/** Sends one AdmissionReview over TLS, trusting the development CA alone. */
async function review(
  port: number,
  agent: Agent,
  { path, object }: DemoCase,
  index: number,
): Promise<Response> {
  const { kind } = object as { kind: string };
  const body = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: `demo-${index}`,
      operation: 'CREATE',
      kind: { kind },
      object,
      oldObject: null,
      dryRun: false,
    },
  });
  const sent = request({
    agent,
    host: 'localhost',
    port,
    method: 'POST',
    path: `${path}?timeout=8s`,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  return (JSON.parse(await readAll(answer)) as { response: Response }).response;
}

function asked({ path, object }: DemoCase): string {
  const { kind, metadata, spec } = object as {
    kind: string;
    metadata: { name: string; namespace?: string };
    spec: { storage?: { resources: { requests: { storage: string } } }; source?: { http: { url: string } } };
  };
  const size = spec.storage
    ? `, ${spec.storage.resources.requests.storage} from ${spec.source?.http.url}`
    : '';
  return `POST ${path}  ${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}${size}`;
}

function told(response: Response, paint: (text: string, color: number) => string): string[] {
  const patch = response.patch
    ? (JSON.parse(Buffer.from(response.patch, 'base64').toString()) as Change[])
    : [];
  const verdict = response.allowed
    ? paint(patch.length > 0 ? 'PATCHED' : 'ALLOWED', 32)
    : paint('DENIED', 31);
  return [
    response.status ? `${verdict}  ${response.status.message}` : verdict,
    ...(response.warnings ?? []).map((warning) => `${paint('Warning', 33)}: ${warning}`),
    ...patch.map(({ op, path, value }) => `${op} ${path} = ${JSON.stringify(value)}`),
  ];
}

interface Change {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

async function play(port: number, ca: string, origin: string, { stdout, env }: Terminal): Promise<void> {
  const isColored = stdout.isTTY === true && env.NO_COLOR === undefined;
  const paint = (text: string, color: number) => (isColored ? `\u001b[${color}m${text}\u001b[0m` : text);
  const agent = new Agent({ ca, keepAlive: true });
  for (const [index, one] of demoCases(origin).entries()) {
    const response = await review(port, agent, one, index);
    stdout.write(`\n${index + 1}. ${one.title}\n   ${asked(one)}\n`);
    for (const line of told(response, paint)) stdout.write(`   ${line}\n`);
  }
  agent.destroy();
}

export const demo: Command = {
  help: HELP,
  options: { serve: { type: 'boolean' }, density: { type: 'string' }, dir: { type: 'string' } },
  positionals: 0,
  run: async (flags, terminal) => {
    const pods = wholeNumber('density', flags.text('density'), 1, 5000) ?? 90;
    const folder = flags.text('dir') ?? 'certs';
    const certificates = await makeCertificates(LOCAL_NAMES, 30);
    await writeCertificates(folder, certificates);
    const { server: samples, origin } = await serveSamples();
    const scratch = await mkdtemp(join(tmpdir(), 'plimsoll-demo-'));
    const configFile = join(scratch, 'plimsoll.yaml');
    await writeFile(
      configFile,
      JSON.stringify({
        apiVersion: 'plimsoll.dev/v1alpha1',
        kind: 'Configuration',
        listen: { host: '127.0.0.1', port: 0, healthPort: 0 },
        tls: { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') },
        probe: { addresses: { mode: 'allowlist', allow: [new URL(origin).host] } },
        memoryFloor: { density: { statistic: 'fixed', pods } },
        log: { level: 'warn' },
      }),
    );
    const server = await startServer({ configFile, version: version(), log: terminal.stderr });
    terminal.stdout.write(
      `The webhook listens on https://localhost:${server.port}, its CA is ${join(folder, 'ca.crt')}; images are on ${origin}.\n`,
    );
    await play(server.port, certificates.authority.certificatePem, origin, terminal);
    if (flags.on('serve')) {
      terminal.stdout.write(
        `\nServing until interrupted; health and metrics on http://localhost:${server.healthPort}.\n`,
      );
      if (!terminal.signal.aborted) await once(terminal.signal, 'abort');
    }
    await server.stop(0);
    samples.close();
    samples.closeAllConnections();
    await rm(scratch, { recursive: true });
    return 0;
  },
};
