import t from 'tap';
import { SourceError } from '../../../src/source/source.ts';
import { openSource, SOURCES } from '../../../src/source/sources.ts';
import { context } from '../../fixtures/source/loopback.ts';

t.test('each kind is opened by its row', async (t) => {
  const urls = { http: 'docker://a/b', s3: 'docker://a/b', gcs: 'docker://a/b', registry: 'http://a/b' };
  for (const kind of Object.keys(SOURCES) as (keyof typeof urls)[])
    await t.rejects(openSource({ kind, url: urls[kind] }, context()), { code: 'bad-url' }, kind);
});

t.test('a failure says what anybody may know', (t) => {
  t.equal(new SourceError('tls').message, 'the TLS connection to its server failed');
  t.equal(new SourceError('over-budget', 'bytes').message, 'reading it takes more than the budget (bytes)');
  t.equal(new SourceError('changed').code, 'changed');
  t.end();
});
