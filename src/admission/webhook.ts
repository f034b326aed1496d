import type { ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { limitLargeBodies } from './large-bodies.ts';
import type { Metrics } from './metrics.ts';
import { type AdmissionRequest, type Answer, decodeReview, encodeReview } from './review.ts';
import { budgetMs } from './timeout.ts';

/** Two objects of 3 MiB, which is what the API server takes, and the review around them. */
const BODY_LIMIT = 7 * 1024 * 1024;
/** Longer than the 90 s for which the API server keeps an idle connection, so that it is never we who close first. */
const KEEP_ALIVE_MS = 120_000;
/** For one request to arrive in full. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Answers one review by the time `signal` ends. */
export type Reviewer = (request: AdmissionRequest, signal: AbortSignal) => Promise<Answer> | Answer;

export interface WebhookOptions {
  readonly https: ServerOptions;
  readonly validate: Reviewer;
  readonly mutate: Reviewer;
  /** What to answer where a reviewer throws. */
  readonly onError: (webhook: string) => Answer;
  /** Common names of client certificates that may call; empty: any that the TLS layer lets in. */
  readonly clientNames: readonly string[];
  readonly metrics: Metrics;
  readonly logger: FastifyBaseLogger;
  /** Whether connections are to be closed after their answer: while the process is on its way out. */
  readonly isDraining: () => boolean;
}

const verdictOf = (answer: Answer) =>
  answer.patch.length > 0 ? 'mutated' : answer.allowed ? 'allowed' : 'denied';

const clientName = (request: FastifyRequest) =>
  (request.raw.socket as TLSSocket).getPeerCertificate().subject?.CN as string | undefined;

/** The webhook's server, not yet listening: `POST /validate` and `POST /mutate`, nothing else. */
export function createWebhook(options: WebhookOptions): FastifyInstance {
  const { metrics } = options;
  const app = Fastify({
    https: options.https,
    bodyLimit: BODY_LIMIT,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Fastify would make a logger for each request.
    logger: false,
  }) as unknown as FastifyInstance;

  // The body is decoded by us: fastify's own parser refuses keys such as __proto__, which objects may well have.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  app.addHook('onRequest', (request, reply, done) => {
    if (options.isDraining()) reply.header('connection', 'close');
    if (options.clientNames.length === 0 || options.clientNames.includes(clientName(request) ?? '')) done();
    else void reply.code(403).send({ message: 'this client may not call the webhook' });
  });

  // After who may call at all: the others are not worth a place.
  app.addHook('onRequest', limitLargeBodies());

  app.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
    const status = error.statusCode ?? 500;
    metrics.malformed.inc();
    options.logger.warn({ status }, error.message);
    return reply.code(status).send({ message: status >= 500 ? 'internal error' : error.message });
  });

  const answer =
    (webhook: string, review: Reviewer) => async (request: FastifyRequest, reply: FastifyReply) => {
      const decoded = Buffer.isBuffer(request.body)
        ? decodeReview(request.body)
        : ({ ok: false, problem: 'the body is empty' } as const);
      if (!decoded.ok) {
        metrics.malformed.inc();
        return reply.code(400).send({ message: decoded.problem });
      }
      const { uid, operation, dryRun } = decoded.request;
      const stop = metrics.seconds.startTimer({ webhook });
      const deadline = new AbortController();
      const timer = setTimeout(
        () => deadline.abort(),
        budgetMs((request.query as { timeout?: unknown }).timeout),
      );
      let verdict = 'error';
      try {
        const answered = await review(decoded.request, deadline.signal);
        const encoded = encodeReview(uid, answered);
        verdict = verdictOf(answered);
        options.logger.info(
          { uid, webhook, operation, dryRun, verdict, message: answered.denial?.message },
          'reviewed',
        );
        return reply.type('application/json').send(Buffer.from(JSON.stringify(encoded)));
      } catch (error) {
        metrics.internalErrors.inc({ webhook });
        options.logger.error({ uid, webhook, err: error }, 'review failed');
        return reply.send(encodeReview(uid, options.onError(webhook)));
      } finally {
        clearTimeout(timer);
        stop();
        metrics.reviews.inc({ webhook, verdict });
      }
    };

  app.post('/validate', answer('validate', options.validate));
  app.post('/mutate', answer('mutate', options.mutate));
  return app;
}
