import t from 'tap';
import { errors } from 'undici';
import { statusFailure, transportFailure } from '../../../src/source/failures.ts';
import { SourceError, type SourceFailureCode } from '../../../src/source/source.ts';

const live = new AbortController().signal;
const coded = (code: unknown, cause?: unknown) => Object.assign(new Error('10.0.0.1', { cause }), { code });

t.test('transport errors by code', (t) => {
  const rows: [string, unknown, SourceFailureCode][] = [
    ['refused', coded('ECONNREFUSED'), 'unreachable'],
    ['reset', coded('ECONNRESET'), 'unreachable'],
    ['no such name', coded('ENOTFOUND'), 'unreachable'],
    ['closed by the other side', new errors.SocketError('other side closed'), 'unreachable'],
    ['several addresses', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'unreachable'],
    ['no code', new Error('x'), 'unreachable'],
    ['a code that is no text', coded(7), 'unreachable'],
    ['no error', 'x', 'unreachable'],
    ['nothing', undefined, 'unreachable'],
    ['connect timeout', new errors.ConnectTimeoutError(), 'timed-out'],
    ['headers timeout', new errors.HeadersTimeoutError(), 'timed-out'],
    ['body timeout', new errors.BodyTimeoutError(), 'timed-out'],
    ['the kernel’s timeout', coded('ETIMEDOUT'), 'timed-out'],
    ['expired certificate', coded('CERT_HAS_EXPIRED'), 'tls'],
    ['unknown authority', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'tls'],
    ['another name', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls'],
    ['no TLS there', coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'tls'],
    ['a broken ca', coded('ERR_OSSL_PEM_BAD_BASE64_DECODE'), 'tls'],
    ['not HTTP', new errors.HTTPParserError('x'), 'bad-answer'],
    ['long headers', new errors.HeadersOverflowError(), 'bad-answer'],
    ['another length', new errors.ResponseContentLengthMismatchError(), 'bad-answer'],
    ['a proxy’s 407, in undici’s words', new errors.InvalidArgumentError('x'), 'unreachable'],
    ['a cause', new Error('x', { cause: coded('CERT_HAS_EXPIRED') }), 'tls'],
    ['ours', new SourceError('changed'), 'changed'],
  ];
  for (const [name, error, code] of rows) {
    const failure = transportFailure(error, live);
    t.equal(failure.code, code, name);
    t.notOk(failure.message.includes('10.0.0.1'), name);
  }
  const loop = coded('X');
  loop.cause = loop;
  t.equal(transportFailure(loop, live).code, 'unreachable', 'causes without end');
  t.end();
});

t.test('after the deadline every error is its doing, but our own', (t) => {
  const ended = AbortSignal.abort();
  t.equal(transportFailure(coded('ECONNRESET'), ended).code, 'timed-out');
  t.equal(transportFailure(new SourceError('over-budget'), ended).code, 'over-budget');
  t.end();
});

t.test('statuses', (t) => {
  const rows: [number, SourceFailureCode][] = [
    [401, 'needs-credentials'],
    [403, 'needs-credentials'],
    [404, 'not-found'],
    [410, 'not-found'],
    [400, 'bad-answer'],
    [402, 'bad-answer'],
    [405, 'bad-answer'],
    [429, 'bad-answer'],
    [500, 'bad-answer'],
    [204, 'bad-answer'],
  ];
  for (const [status, code] of rows) t.equal(statusFailure(status).code, code, `${status}`);
  t.end();
});
