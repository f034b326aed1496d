import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Agent } from 'undici';
import type { KubeApi } from '../../../src/kube/api.ts';
import type { Clock, Pass } from '../../../src/kube/clock.ts';
import { createKubeApi, DEFAULT_HTTP, type HttpOptions } from '../../../src/kube/http.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `hang`: the request is never answered. `cut`: the connection ends within the body. */
export type Reply =
  | 'hang'
  | {
      readonly status?: number;
      readonly json?: unknown;
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly cut?: boolean;
    };

export interface FakeApi {
  readonly url: string;
  readonly api: KubeApi;
  /** Oldest first. */
  readonly seen: Seen[];
}

interface Test {
  teardown(end: () => unknown): void;
}

/** An API server on loopback that answers as `reply` says; it ends with the test. */
export async function fakeApi(
  t: Test,
  reply: (request: Seen) => Reply | Promise<Reply>,
  options: Partial<HttpOptions> = {},
): Promise<FakeApi> {
  const seen: Seen[] = [];
  const server = createServer(async (incoming, answer) => {
    const url = new URL(incoming.url ?? '', 'http://fake');
    const request = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: await text(incoming),
    };
    seen.push(request);
    const what = await reply(request);
    if (what === 'hang') return;
    const body = what.text ?? JSON.stringify(what.json ?? {});
    answer.writeHead(what.status ?? 200, { 'content-length': Buffer.byteLength(body), ...what.headers });
    if (!what.cut) return answer.end(body);
    return answer.write(body.slice(0, body.length / 2), () => answer.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dispatcher = new Agent();
  t.teardown(async () => {
    await dispatcher.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const access = {
    server: url,
    authorize: async () => ({ headers: { authorization: 'Bearer x' }, dispatcher }),
  };
  return {
    url,
    seen,
    api: createKubeApi(access, { ...DEFAULT_HTTP, userAgent: 'plimsoll/test', ...options }),
  };
}

/** A clock that stands still but while someone sleeps, which takes no time. */
export class FakeClock implements Clock {
  readonly sleeps: number[] = [];
  #now: number;

  constructor(now = Date.parse('2027-01-31T12:00:00Z')) {
    this.#now = now;
  }

  readonly now = (): number => this.#now;

  readonly sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    this.sleeps.push(ms);
    this.advance(ms);
  };

  advance(ms: number): void {
    this.#now += ms;
  }

  /** A pass that has so long from now. */
  pass(ms = 60_000, signal = new AbortController().signal): Pass {
    return { clock: this, deadline: this.#now + ms, signal };
  }
}

/** What the API server says where it says no. */
export function status(code: number, reason: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return {
    status: code,
    headers,
    json: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'secret', reason, code },
  };
}

/** One page of a list; `next` is its continue token. */
export function page(items: readonly unknown[], next = ''): Reply {
  return { json: { kind: 'List', apiVersion: 'v1', metadata: { continue: next }, items } };
}

const COLUMNS = ['Name', 'Ready', 'Status', 'Node', 'Age'].map((name) => ({ name, type: 'string' }));

/** One page of pods as a Table: on which node each is. */
export function podTable(nodes: readonly unknown[], next = '', columns: readonly unknown[] = COLUMNS): Reply {
  const rows = nodes.map((node, index) => ({ cells: [`pod-${index}`, '1/1', 'Running', node, '2d'] }));
  return {
    json: {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { continue: next },
      columnDefinitions: columns,
      rows,
    },
  };
}
