import t from 'tap';
import { resolveAll } from '../../../src/source/resolve.ts';

t.test('names and literal addresses', async (t) => {
  t.ok((await resolveAll('localhost')).some((address) => address === '127.0.0.1' || address === '::1'));
  t.same(await resolveAll('192.0.2.7'), ['192.0.2.7']);
  t.same(await resolveAll('2001:db8::7'), ['2001:db8::7']);
  await t.rejects(resolveAll('name.invalid'));
});
