import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Metrics } from './metrics.ts';

/** In words: what keeps the webhook from being ready (none: it is), and what is wrong although it can go on. */
export type Readiness = () => { readonly missing: readonly string[]; readonly notes: readonly string[] };

/** Health and metrics, on a port of their own so that nobody who may call the webhook can read them, nor the reverse. */
export function createHealth(
  metrics: Metrics,
  readiness: Readiness,
  logger: FastifyBaseLogger,
): FastifyInstance {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  }) as unknown as FastifyInstance;
  app.get('/healthz', (_request, reply) => reply.type('text/plain').send('ok\n'));
  app.get('/readyz', (_request, reply) => {
    const { missing, notes } = readiness();
    const lines = missing.length === 0 ? ['ready', ...notes] : [...missing, ...notes];
    return reply
      .code(missing.length === 0 ? 200 : 503)
      .type('text/plain')
      .send(`${lines.join('\n')}\n`);
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.text()),
  );
  return app;
}
