import { once } from 'node:events';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { pino } from 'pino';
import t from 'tap';
import { createMetrics } from '../../src/admission/metrics.ts';
import { ALLOWED, type Answer } from '../../src/admission/review.ts';
import { validatingReviewer } from '../../src/admission/reviewers.ts';
import { createWebhook, type Reviewer } from '../../src/admission/webhook.ts';
import { makeCertificates } from '../../src/cli/certs.ts';
import { responseOf, reviewOf, type Test } from './harness.ts';

// Keys take a while to make on a busy machine.
t.setTimeout(120_000);

const { authority, serving } = await makeCertificates(['127.0.0.1'], 1);
const ASKED = reviewOf({ uid: 'u-1', operation: 'CREATE', object: { kind: 'DataVolume', spec: {} } });

/** A webhook with this reviewer behind both paths, and what it logs and counts. */
async function serve(t: Test, reviewer: Reviewer, onError: (webhook: string) => Answer) {
  const lines: string[] = [];
  const metrics = createMetrics();
  const app = createWebhook({
    https: { cert: serving.certificatePem, key: serving.privateKeyPem },
    validate: reviewer,
    mutate: reviewer,
    onError,
    clientNames: [],
    metrics,
    logger: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }),
    isDraining: () => false,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.teardown(() => app.close());
  const send = async (path: string) => {
    const sent = request({
      agent: false,
      ca: authority.certificatePem,
      host: '127.0.0.1',
      port: (app.server.address() as AddressInfo).port,
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
    });
    sent.end(JSON.stringify(ASKED));
    const [answer] = await once(sent, 'response');
    return responseOf(
      { status: answer.statusCode, headers: answer.headers, text: await readAll(answer) },
      'u-1',
    );
  };
  return { send, lines, metrics };
}

const failing: readonly { name: string; reviewer: Reviewer }[] = [
  {
    name: 'a reviewer that throws',
    reviewer: () => {
      throw new TypeError('a defect');
    },
  },
  {
    name: 'a reviewer that rejects',
    reviewer: async () => {
      throw new TypeError('a defect');
    },
  },
  {
    name: 'a reviewer that throws what is no Error',
    reviewer: () => {
      throw 'a defect';
    },
  },
  {
    name: 'an answer that cannot be written',
    reviewer: () => ({ ...ALLOWED, patch: [{ op: 'add', path: '/a', value: 1n }] }),
  },
  {
    name: 'a world that is not there',
    reviewer: validatingReviewer(
      () => {
        throw new Error('a defect');
      },
      () => {},
    ),
  },
];

for (const { name, reviewer } of failing)
  t.test(`${name} ends in a review with the uid`, async (t) => {
    const { send, lines, metrics } = await serve(t, reviewer, (webhook) => ({
      ...ALLOWED,
      warnings: [`an error of our own in ${webhook}`],
    }));
    for (const path of ['/validate', '/mutate']) {
      const response = await send(path);
      t.same(
        response,
        { uid: 'u-1', allowed: true, warnings: [`an error of our own in ${path.slice(1)}`] },
        'as onError says',
      );
    }
    t.equal(lines.length, 2);
    for (const line of lines) t.match(JSON.parse(line), { uid: 'u-1', msg: 'review failed' });
    const text = await metrics.registry.metrics();
    for (const webhook of ['validate', 'mutate']) {
      t.ok(text.includes(`plimsoll_internal_errors_total{webhook="${webhook}"} 1`));
      t.ok(text.includes(`plimsoll_admission_reviews_total{webhook="${webhook}",verdict="error"} 1`));
    }
  });

t.test('where doubt is denied, the denial says that it is an internal error', async (t) => {
  const { send } = await serve(t, failing[0]!.reviewer, () => ({
    ...ALLOWED,
    allowed: false,
    denial: { code: 500, message: 'an error of our own' },
  }));
  t.same(await send('/validate'), {
    uid: 'u-1',
    allowed: false,
    status: { code: 500, reason: 'InternalError', message: 'an error of our own' },
  });
});
