import t from 'tap';
import type { ByteSource } from '../../../src/bytes/source.ts';
import { OutOfBoundsError } from '../../../src/bytes/view.ts';
import { SAMPLES } from '../../../src/cli/demo/images.ts';
import { createLook, type LookOptions } from '../../../src/evaluate/look.ts';
import {
  type SourceContext,
  SourceError,
  type SourceFailureCode,
  type SourceRequest,
} from '../../../src/source/source.ts';
import type { ImportSource } from '../../../src/volume/volume.ts';

const NEVER = new AbortController().signal;
const GiB = 1n << 30n;

function sourceAt(url: string, over: Partial<ImportSource> = {}): ImportSource {
  return {
    kind: 'http',
    url,
    unsupported: null,
    secretRef: null,
    certConfigMap: null,
    extraHeaders: [],
    secretExtraHeaders: [],
    architecture: null,
    insecureSkipVerify: false,
    ...over,
  };
}

/** The demo's image of 10 GiB, in memory. */
function sample(onClose = () => {}): ByteSource {
  const { head, length } = SAMPLES['/fedora.qcow2'];
  return {
    size: BigInt(length),
    identity: null,
    cost: { bytesRead: head.length, requests: 1 },
    read: async ({ offset, length }) => head.subarray(Number(offset), Number(offset) + length),
    close: onClose,
  };
}

type Open = (request: SourceRequest, context: SourceContext) => Promise<ByteSource>;

function setUp(open: Open, over: Partial<LookOptions> = {}) {
  const clock = { now: 0 };
  const opened: { request: SourceRequest; context: SourceContext }[] = [];
  const observed: [string, number][] = [];
  const look = createLook({
    open: async (request, context) => {
      opened.push({ request, context });
      return open(request, context);
    },
    registryMaxBytes: 4 << 20,
    proxyFor: () => undefined,
    context: {
      addresses: { mode: 'public', allow: [] },
      budget: { maxRequests: 8, maxBytes: 1 << 20, maxRedirects: 5 },
      userAgent: 'plimsoll-test',
      connectTimeoutMs: 1000,
      idleTimeoutMs: 1000,
      resolve: async () => [],
    },
    enabled: true,
    timeoutMs: 30_000,
    limits: { all: 10, perKey: 10, queue: 10 },
    cache: { entries: 10, ttlMs: 1000, failureTtlMs: 100 },
    now: () => clock.now,
    observe: (outcome, { bytesRead }) => observed.push([outcome, bytesRead]),
    ...over,
  });
  return { look, clock, opened, observed };
}

/** Opens only once its deadline is over, as a server that says nothing makes every source do. */
const silent: Open = (_request, { signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new SourceError('timed-out')), { once: true });
  });

const fails =
  (error: unknown): Open =>
  async () => {
    throw error;
  };

const codeOf = (look: { kind: string; code?: string }) => (look.kind === 'image' ? 'image' : look.code);

/** Deadlines keep no process alive; this does while a test waits for one. */
const alive = setInterval(() => {}, 1000);
t.teardown(() => clearInterval(alive));

t.test('an image, and what looking cost', async (t) => {
  let closed = 0;
  const { look, observed } = setUp(async () => sample(() => closed++));
  const seen = await look(sourceAt('http://images.example/a.qcow2'), NEVER);
  t.match(seen, {
    kind: 'image',
    storedSize: 1_100_000_000n,
    facts: { format: 'qcow2', virtualSize: 10n * GiB, defects: [] },
  });
  t.equal(closed, 1);
  t.same(observed, [['ok', 65_536]]);
});

const FAILURES: readonly { name: string; error: unknown; code: string }[] = [
  ...(['not-permitted', 'unreachable', 'needs-credentials', 'over-budget'] as SourceFailureCode[]).map(
    (code) => ({ name: `the source’s own: ${code}`, error: new SourceError(code), code }),
  ),
  {
    name: 'a header that points outside of the file',
    error: new OutOfBoundsError(1, 2, 3),
    code: 'bad-answer',
  },
];

for (const { name, error, code } of FAILURES)
  t.test(`an error becomes a coded unknown: ${name}`, async (t) => {
    const { look, observed } = setUp(fails(error));
    const seen = await look(sourceAt('http://images.example/a'), NEVER);
    t.equal(codeOf(seen), code);
    t.same(observed, [[code, 0]]);
  });

t.test('what fails while it is read closes the source too', async (t) => {
  let closed = 0;
  const { look } = setUp(async () => ({
    ...sample(() => closed++),
    read: async () => {
      throw new SourceError('changed');
    },
  }));
  t.equal(codeOf(await look(sourceAt('http://images.example/a'), NEVER)), 'changed');
  t.equal(closed, 1);
});

t.test('a defect of our own is thrown, and is not kept', async (t) => {
  const defect = new TypeError('undefined is not a function');
  let calls = 0;
  const { look } = setUp(async () => {
    calls += 1;
    if (calls === 1) throw defect;
    return sample();
  });
  await t.rejects(look(sourceAt('http://images.example/a'), NEVER), defect);
  t.equal(codeOf(await look(sourceAt('http://images.example/a'), NEVER)), 'image');
});

t.test('switched off, nothing is opened', async (t) => {
  const { look, opened } = setUp(async () => sample(), { enabled: false });
  t.equal(codeOf(await look(sourceAt('http://images.example/a'), NEVER)), 'disabled');
  t.equal(opened.length, 0);
});

t.test('what cannot be looked at says why, and nothing is opened', async (t) => {
  const { look, opened } = setUp(async () => sample());
  const seen = await look(sourceAt('docker://registry/a', { unsupported: 'an imageStream' }), NEVER);
  t.match(seen, { kind: 'unknown', code: 'unsupported', detail: 'an imageStream' });
  t.equal(opened.length, 0);
});

t.test('the asker’s deadline ends the asker, the look goes on for the next', async (t) => {
  let arrive = (_source: ByteSource) => {};
  const { look, opened } = setUp(() => new Promise<ByteSource>((resolve) => (arrive = resolve)));
  const source = sourceAt('http://images.example/a');
  const deadline = new AbortController();
  const hurried = look(source, deadline.signal);
  deadline.abort();
  t.equal(codeOf(await hurried), 'timed-out');
  t.equal(opened[0]?.context.signal.aborted, false);
  const patient = look(source, NEVER);
  arrive(sample());
  t.equal(codeOf(await patient), 'image');
  t.equal(opened.length, 1, 'and it was one look');
});

t.test('a deadline that is over already', async (t) => {
  const { look } = setUp(silent);
  t.equal(codeOf(await look(sourceAt('http://images.example/a'), AbortSignal.abort())), 'timed-out');
});

t.test('the look’s own deadline ends it, however patient the asker is', async (t) => {
  const { look, observed } = setUp(silent, { timeoutMs: 5 });
  t.equal(codeOf(await look(sourceAt('http://images.example/a'), NEVER)), 'timed-out');
  t.same(observed, [['timed-out', 0]]);
});

t.test('any error after the deadline is the deadline’s', async (t) => {
  const { look } = setUp(
    (_request, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('socket hang up')));
      }),
    { timeoutMs: 5 },
  );
  t.equal(codeOf(await look(sourceAt('http://images.example/a'), NEVER)), 'timed-out');
});

t.test('too many at once are busy, by host and in all', async (t) => {
  const deadlines = { timeoutMs: 30_000 };
  const byHost = setUp(silent, { ...deadlines, limits: { all: 10, perKey: 1, queue: 0 } });
  void byHost.look(sourceAt('http://one.example/a'), NEVER);
  t.equal(codeOf(await byHost.look(sourceAt('http://one.example/b'), NEVER)), 'busy');
  void byHost.look(sourceAt('http://two.example/b'), NEVER);
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(byHost.opened.length, 2, 'another host is another matter');
  const inAll = setUp(silent, { ...deadlines, limits: { all: 1, perKey: 1, queue: 0 } });
  void inAll.look(sourceAt('http://one.example/a'), NEVER);
  t.equal(codeOf(await inAll.look(sourceAt('http://two.example/b'), NEVER)), 'busy');
});

t.test('busy is not remembered', async (t) => {
  let arrive = (_source: ByteSource) => {};
  const { look } = setUp(() => new Promise<ByteSource>((resolve) => (arrive = resolve)), {
    limits: { all: 1, perKey: 1, queue: 0 },
  });
  const first = look(sourceAt('http://images.example/a'), NEVER);
  t.equal(codeOf(await look(sourceAt('http://images.example/b'), NEVER)), 'busy');
  arrive(sample());
  await first;
  const second = look(sourceAt('http://images.example/b'), NEVER);
  await new Promise((resolve) => setImmediate(resolve));
  arrive(sample());
  t.equal(codeOf(await second), 'image');
});

t.test('images are remembered for their time, failures for theirs', async (t) => {
  const good = setUp(async () => sample());
  const bad = setUp(fails(new SourceError('unreachable')));
  for (const { clock, opened, look, ttl } of [
    { ...good, ttl: 1000 },
    { ...bad, ttl: 100 },
  ]) {
    const ask = () => look(sourceAt('http://images.example/a'), NEVER);
    await ask();
    clock.now = ttl - 1;
    await ask();
    t.equal(opened.length, 1);
    clock.now = ttl;
    await ask();
    t.equal(opened.length, 2);
  }
});

const DIFFERENT: readonly { name: string; over: Partial<ImportSource> }[] = [
  { name: 'another kind', over: { kind: 's3' } },
  { name: 'another architecture', over: { architecture: 'arm64' } },
  { name: 'other headers', over: { extraHeaders: ['X-Token: a'] } },
  { name: 'no verification of its certificate', over: { insecureSkipVerify: true } },
];

for (const { name, over } of DIFFERENT)
  t.test(`what one look saw does not answer for ${name}`, async (t) => {
    const { look, opened } = setUp(async () => sample());
    await look(sourceAt('http://images.example/a'), NEVER);
    await look(sourceAt('http://images.example/a', over), NEVER);
    t.equal(opened.length, 2);
  });

t.test('the request carries what the spec shows', async (t) => {
  const { look, opened } = setUp(async () => sample());
  const extraHeaders = ['X-Token:  a:b ', 'no header', ': no name', '__proto__: p'];
  await look(sourceAt('http://images.example/a', { extraHeaders, architecture: 'arm64' }), NEVER);
  const { headers, ...request } = opened[0]!.request;
  t.same(request, {
    kind: 'http',
    url: 'http://images.example/a',
    insecureSkipVerify: false,
    architecture: 'arm64',
  });
  t.same(Object.entries(headers!), [
    ['X-Token', 'a:b'],
    ['__proto__', 'p'],
  ]);
});

t.test('proxy and budget are those of the source', async (t) => {
  const proxyFor = (url: string) => (url.includes('outside') ? 'http://proxy.example' : undefined);
  const { look, opened } = setUp(async () => sample(), { proxyFor });
  await look(sourceAt('http://outside.example/a'), NEVER);
  await look(sourceAt('http://inside.example/a'), NEVER);
  await look(sourceAt('docker://inside.example/a', { kind: 'registry' }), NEVER);
  t.same(
    opened.map(({ context }) => [context.proxy, context.budget.maxBytes]),
    [
      ['http://proxy.example', 1 << 20],
      [undefined, 1 << 20],
      [undefined, 4 << 20],
    ],
  );
});
