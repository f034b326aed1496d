import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { get as httpGet, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { type DevelopmentCertificates, makeCertificates, writeCertificates } from '../../src/cli/certs.ts';
import { serveSamples } from '../../src/cli/demo/images.ts';
import { type RunningServer, startServer } from '../../src/server.ts';

export interface Test {
  teardown(end: () => unknown): void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The response of an AdmissionReview, as the API server reads it. */
export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly code: number; readonly reason: string; readonly message: string };
  readonly warnings?: readonly string[];
  readonly patchType?: string;
  readonly patch?: string;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

export interface Webhook {
  readonly server: RunningServer;
  readonly certificates: DevelopmentCertificates;
  readonly folder: string;
  /** Log lines so far. */
  readonly log: () => string;
  /** Replaces the configuration in one step. */
  readonly configure: (over: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Replaces the configuration by this text. */
  readonly writeConfiguration: (text: string) => Promise<void>;
  /** Sends a body as it is. */
  readonly send: (path: string, body: string | Buffer, over?: Sending) => Promise<HttpAnswer>;
  /** Sends a review of this request, and checks the answer's form as the API server does. */
  readonly review: (path: string, request: object) => Promise<ReviewResponse>;
  readonly health: (path: string) => Promise<HttpAnswer>;
}

export interface Sending {
  readonly method?: string;
  readonly contentType?: string | null;
  readonly agent?: Agent;
}

/** A folder of the test's own. */
export async function scratch(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The demo's sample images on loopback, as `http://127.0.0.1:port`. */
export async function samples(t: Test): Promise<string> {
  const { server, origin } = await serveSamples();
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return origin;
}

async function read(answer: IncomingMessage): Promise<HttpAnswer> {
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await readAll(answer) };
}

/** Keys take long to make: a file of tests makes do with one authority. */
let issued: Promise<DevelopmentCertificates> | undefined;

function certificatesOfTests(): Promise<DevelopmentCertificates> {
  issued ??= makeCertificates(['localhost', '127.0.0.1'], 30);
  return issued;
}

/** A configuration of the webhook on loopback, with ports that are free. */
export function configurationOf(
  folder: string,
  { tls, ...over }: { readonly tls?: object; readonly [part: string]: unknown },
): object {
  return {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'Configuration',
    listen: { host: '127.0.0.1', port: 0, healthPort: 0 },
    tls: { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key'), ...tls },
    memoryFloor: { density: { statistic: 'fixed', pods: 90 } },
    ...over,
  };
}

/** The real server, over real TLS, on loopback; stopped with the test. */
export async function startWebhook(t: Test, over: Readonly<Record<string, unknown>> = {}): Promise<Webhook> {
  const folder = await scratch(t);
  const certificates = await certificatesOfTests();
  await writeCertificates(folder, certificates);
  const configFile = join(folder, 'plimsoll.yaml');
  const writeConfiguration = async (text: string) => {
    await writeFile(`${configFile}.new`, text);
    await rename(`${configFile}.new`, configFile);
  };
  const configure = (more: Readonly<Record<string, unknown>>) =>
    writeConfiguration(JSON.stringify(configurationOf(folder, more)));
  await configure(over);

  const lines: string[] = [];
  const log = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const server = await startServer({ configFile, version: '0.0.0-test', log });
  const agent = new Agent({ ca: certificates.authority.certificatePem, keepAlive: true });
  t.teardown(async () => {
    agent.destroy();
    await server.stop(0);
  });

  const send: Webhook['send'] = async (path, body, { method = 'POST', contentType, agent: other } = {}) => {
    const sent = request({
      agent: other ?? agent,
      host: '127.0.0.1',
      port: server.port,
      method,
      path,
      headers: {
        ...(contentType === null ? {} : { 'content-type': contentType ?? 'application/json' }),
        'content-length': Buffer.byteLength(body),
      },
    });
    // Who refuses a body need not read it to its end.
    sent.on('error', () => {});
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return read(answer);
  };

  let count = 0;
  return {
    server,
    certificates,
    folder,
    log: () => lines.join(''),
    configure,
    writeConfiguration,
    send,
    review: async (path, asked) => {
      const uid = `uid-${count++}`;
      const body = JSON.stringify(reviewOf({ uid, operation: 'CREATE', ...asked }));
      return responseOf(await send(path, body), (asked as { uid?: string }).uid ?? uid);
    },
    health: async (path) => {
      const [answer] = (await once(
        httpGet({ host: '127.0.0.1', port: server.healthPort, path, agent: false }),
        'response',
      )) as [IncomingMessage];
      return read(answer);
    },
  };
}

export function reviewOf(asked: object): object {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: asked };
}

/** The answer as the API server accepts it; throws where it would not. */
export function responseOf({ status, headers, text }: HttpAnswer, uid: string): ReviewResponse {
  const complain = (what: string) => new Error(`${what}: ${status} ${text.slice(0, 500)}`);
  if (status !== 200) throw complain('no answer');
  if (!String(headers['content-type']).startsWith('application/json')) throw complain('not JSON');
  const { apiVersion, kind, response } = JSON.parse(text) as {
    apiVersion?: string;
    kind?: string;
    response?: ReviewResponse;
  };
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview' || !response)
    throw complain('no AdmissionReview');
  if (response.uid !== uid) throw complain('another uid');
  if (typeof response.allowed !== 'boolean') throw complain('no verdict');
  if ((response.patch === undefined) !== (response.patchType === undefined))
    throw complain('patch and patchType');
  return response;
}

/** The operations of a patch; empty where there is none. */
export function patchOf({ patch }: ReviewResponse): { op: string; path: string; value: unknown }[] {
  return patch === undefined ? [] : JSON.parse(Buffer.from(patch, 'base64').toString('utf8'));
}

export function dataVolume(url: string, size: string, over: object = {}): object {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'fedora', namespace: 'images', ...over },
    spec: { source: { http: { url } }, storage: { resources: { requests: { storage: size } } } },
  };
}

export function multus(memory: string, more: object = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'kube-multus-ds', namespace: 'kube-system' },
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: 'kube-multus',
              image: 'ghcr.io/k8snetworkplumbingwg/multus-cni:snapshot-thick',
              command: ['/usr/src/multus-cni/bin/multus-daemon'],
              env: [{ name: 'MULTUS_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
              resources: { requests: { cpu: '100m', memory }, limits: { cpu: '100m', memory } },
            },
          ],
        },
      },
    },
    ...more,
  };
}

export function cdi(spec: object = {}): object {
  return { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'CDI', metadata: { name: 'cdi' }, spec };
}

/** Asks again until the answer will do; gives up after a while with the last one. */
export async function until<T>(ask: () => Promise<T>, willDo: (answer: T) => boolean): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const answer = await ask();
    if (willDo(answer) || attempt >= 200) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
