import type { FastifyReply, FastifyRequest } from 'fastify';
import { Limiter } from '../evaluate/limiter.ts';
import { budgetMs } from './timeout.ts';

/** Objects are hardly ever larger, and hundreds of reviews of up to this size fit into memory together. */
const LARGE = 128 * 1024;

/** Parsed JSON can take 25 times its bytes (`{},{},…`): two of 7 MiB are what a memory limit of 512 MiB allows. */
const AT_ONCE = 2;

/** Connections that wait hold no body. */
const WAITING = 1000;

/** Bytes of the body, undefined where the caller does not say: it then counts as large. */
function lengthOf(request: FastifyRequest): number | undefined {
  const { 'content-length': length } = request.headers;
  return length === undefined ? undefined : Number(length);
}

/**
 * An `onRequest` hook by which large bodies are read two at a time, each until its answer is sent or its caller is gone.
 * The others wait unread in their connections, for as long as their review may take, and are then refused with 503.
 */
export function limitLargeBodies(): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const limiter = new Limiter({ all: AT_ONCE, perKey: AT_ONCE, queue: WAITING });
  return async (request, reply) => {
    const length = lengthOf(request);
    if (request.method !== 'POST' || (length !== undefined && length <= LARGE)) return;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const budget = budgetMs((request.query as { timeout?: unknown }).timeout);
    const waiting = AbortSignal.any([gone.signal, AbortSignal.timeout(budget)]);
    const begun = Promise.withResolvers<'begun'>();
    const ended = limiter.run('', waiting, () => {
      begun.resolve('begun');
      return untilAborted(gone.signal);
    });
    if ((await Promise.race([begun.promise, ended])) === 'busy')
      await reply.code(503).send({ message: 'too many large reviews at once' });
  };
}

function untilAborted(signal: AbortSignal): Promise<'ended'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('ended');
    else signal.addEventListener('abort', () => resolve('ended'), { once: true });
  });
}
