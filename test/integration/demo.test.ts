import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { demo } from '../../src/cli/demo.ts';
import { run } from '../unit/cli/terminal.ts';
import { scratch } from './harness.ts';

// Keys take a while to make on a busy machine.
t.setTimeout(120_000);

t.test('the demo tells the story, and ends', async (t) => {
  const folder = join(await scratch(t), 'certs');
  const { code, stdout, stderr } = await run(demo, ['--dir', folder]);
  t.equal(code, 0);
  t.equal(stderr, '', 'nothing worth a warning happens');
  t.same((await readdir(folder)).sort(), ['ca.crt', 'ca.key', 'tls.crt', 'tls.key']);
  const verdicts = [...stdout.matchAll(/^ +(DENIED|ALLOWED|PATCHED)\b/gm)].map(([, verdict]) => verdict);
  t.same(verdicts, [
    'DENIED',
    'DENIED',
    'DENIED',
    'ALLOWED',
    'ALLOWED',
    'ALLOWED',
    'ALLOWED',
    'PATCHED',
    'PATCHED',
  ]);
  for (const told of [/Ask for 10Gi\./, /10G is 10000000000 bytes, less than 10Gi\./, /= "500Mi"/, /= "2Gi"/])
    t.match(stdout, told);
});

t.test('with --serve it stays until it is interrupted', async (t) => {
  const folder = join(await scratch(t), 'certs');
  const interrupt = new AbortController();
  const ran = run(demo, ['--dir', folder, '--serve'], { signal: interrupt.signal });
  const first = await Promise.race([ran, once(AbortSignal.timeout(20), 'abort').then(() => 'still there')]);
  t.equal(first, 'still there');
  interrupt.abort();
  t.match(await ran, { code: 0, stdout: /Serving until interrupted; health and metrics on http:/ });
});
