import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { SAMPLES } from '../../../src/cli/demo/images.ts';
import { probe } from '../../../src/cli/probe.ts';
import { samples, scratch } from '../../integration/harness.ts';
import { run } from './terminal.ts';

const origin = await samples(t);

t.test('an image, as JSON', async (t) => {
  const { code, stdout } = await run(probe, [`${origin}/fedora.qcow2`, '-o', 'json']);
  t.equal(code, 0);
  t.equal(stdout.trimEnd().split('\n').length, 1, 'one line');
  t.same(JSON.parse(stdout), {
    format: 'qcow2',
    wrappers: [],
    virtualSize: 10_737_418_240,
    storedSize: 1_100_000_000,
    allocatedSize: null,
    findings: [],
    bytesRead: 65_536,
    requests: 1,
  });
});

t.test('a defect, as JSON', async (t) => {
  const { code, stdout } = await run(probe, [`${origin}/overlay.qcow2`, '-o', 'json']);
  t.equal(code, 0);
  t.match(JSON.parse(stdout).findings, [
    { rule: 'unusable-image', code: 'backing-file', message: /^needs a backing file, which CDI refuses: / },
  ]);
});

t.test('an image, for people', async (t) => {
  const { code, stdout } = await run(probe, [`${origin}/overlay.qcow2`]);
  t.equal(code, 0);
  t.match(stdout, /^format: +qcow2$/m);
  t.match(stdout, /^virtual size: +10Gi \(10737418240 bytes\)$/m);
  t.match(stdout, /^stored size: +196Ki \(200704 bytes\)$/m);
  t.match(stdout, /^read: +65536 bytes in 1 request$/m);
  t.match(stdout, /^unusable: +it needs a backing file, which CDI refuses: /m);
});

t.test('a file', async (t) => {
  const file = join(await scratch(t), 'cirros.qcow2');
  await writeFile(file, SAMPLES['/cirros.qcow2'].head);
  const { stdout } = await run(probe, [file, '-o', 'json']);
  t.match(JSON.parse(stdout), { format: 'qcow2', virtualSize: 117_440_512, storedSize: 65_536 });
});

const FAILURES: readonly { name: string; target: string; code: string }[] = [
  { name: 'not there', target: `${origin}/missing.qcow2`, code: 'not-found' },
  { name: 'no server', target: 'http://127.0.0.1:1/a', code: 'unreachable' },
  { name: 'another scheme', target: 'ftp://127.0.0.1/a', code: 'unsupported' },
  { name: 'no file', target: '/nonexistent/a.qcow2', code: 'not-found' },
  { name: 'no URL', target: 'http://', code: 'bad-url' },
];

for (const { name, target, code } of FAILURES)
  t.test(`a failure: ${name}`, async (t) => {
    const json = await run(probe, [target, '-o', 'json']);
    t.equal(json.code, 1);
    t.same(Object.keys(JSON.parse(json.stdout)), ['error']);
    t.equal(JSON.parse(json.stdout).error.code, code);
    t.equal(typeof JSON.parse(json.stdout).error.message, 'string');
    t.equal(json.stderr, '');
    const text = await run(probe, [target]);
    t.equal(text.code, 1);
    t.equal(text.stdout, '');
    t.ok(
      text.stderr.startsWith(`plimsoll: ${target}: `) && text.stderr.endsWith(` (${code})\n`),
      text.stderr,
    );
  });

t.test('a configuration limits what may be dialled', async (t) => {
  const file = join(await scratch(t), 'plimsoll.yaml');
  await writeFile(file, 'apiVersion: plimsoll.dev/v1alpha1\nkind: Configuration\n');
  const { code, stdout } = await run(probe, [`${origin}/fedora.qcow2`, '-o', 'json', '--config', file]);
  t.equal(code, 1);
  t.equal(JSON.parse(stdout).error.code, 'not-permitted');
});

t.test('an interrupted probe is a failure', async (t) => {
  const signal = AbortSignal.abort();
  const { code, stdout } = await run(probe, [`${origin}/fedora.qcow2`, '-o', 'json'], { signal });
  t.equal(code, 1);
  t.equal(JSON.parse(stdout).error.code, 'timed-out');
});

t.test('mistakes', async (t) => {
  for (const args of [[], ['a', 'b'], ['a', '-o', 'xml'], ['a', '--timeout', '0']])
    t.equal((await run(probe, args)).code, 1, args.join(' '));
});
