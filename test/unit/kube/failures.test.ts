import t from 'tap';
import { KubeError, kubeErrorCode, statusFailure, transportFailure } from '../../../src/kube/failures.ts';

t.test('a message has what was asked, what it means, and the figures', async (t) => {
  const error = statusFailure('GET /api/v1/pods', 403, undefined, { reason: 'Forbidden', message: 'secret' });
  t.equal(error.message, 'GET /api/v1/pods: the API server does not permit it (403 Forbidden)');
  t.match(error, {
    code: 'forbidden',
    status: 403,
    reason: 'Forbidden',
    retryAfterMs: null,
    name: 'KubeError',
  });
  t.equal(new KubeError('no-cluster').message, 'no cluster is configured');
  t.equal(
    new KubeError('bad-kubeconfig', { detail: 'it cannot be read' }).message,
    'the kubeconfig cannot be used: it cannot be read',
  );
});

const caused = (...codes: readonly string[]): unknown =>
  codes.reduceRight<Error | undefined>(
    (cause, code) => Object.assign(new Error('secret', { cause }), { code }),
    undefined,
  );

const transport: readonly (readonly [name: string, error: unknown, code: string])[] = [
  ['refused', caused('ECONNREFUSED'), 'unreachable'],
  ['no such host', caused('ENOTFOUND'), 'unreachable'],
  ['connection ends', caused('UND_ERR_SOCKET', 'ECONNRESET'), 'unreachable'],
  ['connect takes too long', caused('UND_ERR_CONNECT_TIMEOUT'), 'timed-out'],
  ['headers take too long', caused('UND_ERR_HEADERS_TIMEOUT'), 'timed-out'],
  ['deep down', caused('', '', 'ETIMEDOUT'), 'timed-out'],
  ['unknown authority', caused('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'tls'],
  ['self-signed', caused('SELF_SIGNED_CERT_IN_CHAIN'), 'tls'],
  ['expired', caused('CERT_HAS_EXPIRED'), 'tls'],
  ['other name', caused('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls'],
  ['alert', caused('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'tls'],
  ['no TLS at all', caused('EPROTO'), 'tls'],
  ['no HTTP', caused('HPE_INVALID_CONSTANT'), 'bad-answer'],
  ['another length', caused('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'), 'bad-answer'],
  ['no Error', 'secret', 'unreachable'],
  ['nothing', undefined, 'unreachable'],
];

t.test('what goes wrong below HTTP', async (t) => {
  for (const [name, error, code] of transport) {
    const failure = transportFailure('GET /x', error, null);
    t.equal(failure.code, code, name);
    t.notMatch(failure.message, /secret/);
  }
  t.equal(transportFailure('GET /x', caused('ECONNREFUSED'), 'late').code, 'timed-out');
  t.equal(transportFailure('GET /x', caused('ECONNREFUSED'), 'gave-up').code, 'stopped');
  const known = new KubeError('too-large');
  t.equal(transportFailure('GET /x', known, null), known);
});

t.test('the code of whatever was thrown', async (t) => {
  t.equal(kubeErrorCode(new KubeError('expired')), 'expired');
  for (const other of [new Error('x'), { code: 'expired' }, 'expired', null])
    t.equal(kubeErrorCode(other), null);
});
