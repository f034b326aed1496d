import t from 'tap';
import { basicAuthorization, ownHeaders } from '../../../src/source/own-headers.ts';
import type { SourceRequest } from '../../../src/source/source.ts';
import { httpRequest } from '../../fixtures/source/loopback.ts';

const USER = { accessKeyId: 'user', secretKey: 'pä:ss' };
const BASIC = `Basic ${Buffer.from('user:pä:ss').toString('base64')}`;

t.test('what goes to the request’s own origin', (t) => {
  const rows: [string, Partial<SourceRequest>, Record<string, string>][] = [
    ['nothing', {}, {}],
    ['credentials', { credentials: USER }, { authorization: BASIC }],
    ['headers', { headers: { 'X-A': '1' }, secretHeaders: { 'X-B': '2' } }, { 'x-a': '1', 'x-b': '2' }],
    ['secret ones first', { headers: { 'X-A': '1' }, secretHeaders: { 'X-A': '2' } }, { 'x-a': '2' }],
    ['whatever their case', { headers: { 'X-A': '1' }, secretHeaders: { 'x-a': '2' } }, { 'x-a': '2' }],
    [
      'an Authorization',
      { credentials: USER, headers: { Authorization: 'Bearer x' } },
      { authorization: 'Bearer x' },
    ],
    [
      'not ours to give',
      { headers: { Host: 'x', RANGE: 'x', Connection: 'x', 'Accept-Encoding': 'x', 'If-Range': 'x' } },
      {},
    ],
    ['not the proxy’s', { headers: { 'Proxy-Authorization': 'x' } }, {}],
  ];
  for (const [name, request, wanted] of rows) t.same(ownHeaders(httpRequest('x', request)), wanted, name);
  t.same(basicAuthorization(httpRequest('x')), {});
  t.end();
});

t.test('headers that cannot be sent', (t) => {
  for (const headers of [
    { 'x-a': 'b\r\nx-c: d' },
    { 'x-a': '\0' },
    { 'x-a': 'ł' },
    { 'x a': 'b' },
    { 'x:a': 'b' },
    { '': 'b' },
  ])
    t.throws(
      () => ownHeaders(httpRequest('x', { headers: headers as never })),
      { code: 'bad-url' },
      JSON.stringify(headers),
    );
  t.end();
});
