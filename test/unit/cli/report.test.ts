import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { report } from '../../../src/cli/report.ts';
import { FORMATS } from '../../../src/report/formats.ts';
import { cdi, dataVolume, multus, samples, scratch } from '../../integration/harness.ts';
import { MAIN, run } from './terminal.ts';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures/manifests');
const origin = await samples(t);
const FEDORA = `${origin}/fedora.qcow2`;
const folder = await scratch(t);

async function configuration(name: string, over: object): Promise<string> {
  const file = join(folder, `${name}.yaml`);
  const text = JSON.stringify({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'Configuration',
    probe: { addresses: { mode: 'any' } },
    ...over,
  });
  await writeFile(file, text);
  return file;
}

const ANY = await configuration('any', {});
const OFF = await configuration('off', { probe: { addresses: { mode: 'off' } } });

interface Line {
  readonly rule: string;
  readonly result: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly resource: Record<string, string>;
}

const reportOf = (stdout: string) =>
  JSON.parse(stdout) as { summary: Record<string, number>; results: Line[] };

const stream = (...objects: object[]) => objects.map((object) => JSON.stringify(object)).join('\n---\n');

const CLEAN = dataVolume(FEDORA, '10Gi');
const DENIED = dataVolume(FEDORA, '30Gi');
const WARNED = dataVolume(`${origin}/overlay.qcow2`, '10Gi');
const UNKNOWN = dataVolume(`${origin}/missing.qcow2`, '10Gi');
const BROKEN = 'a: b: c';

const CODES: readonly { name: string; stdin: string; args?: readonly string[]; code: number }[] = [
  { name: 'clean', stdin: stream(CLEAN), code: 0 },
  { name: 'nothing at all', stdin: '', code: 0 },
  { name: 'a denial', stdin: stream(CLEAN, DENIED), code: 2 },
  { name: 'a warning', stdin: stream(WARNED), code: 0 },
  { name: 'a warning counts', stdin: stream(WARNED), args: ['--fail-level', 'warn'], code: 2 },
  { name: 'a denial counts nothing', stdin: stream(DENIED), args: ['--fail-level', 'never'], code: 0 },
  { name: 'an unknown image', stdin: stream(UNKNOWN), code: 0 },
  { name: 'an unknown image is no warning', stdin: stream(UNKNOWN), args: ['--fail-level', 'warn'], code: 0 },
  { name: 'an unknown image counts', stdin: stream(UNKNOWN), args: ['--unknown', 'fail'], code: 3 },
  {
    name: 'a denial comes before an unknown image',
    stdin: stream(UNKNOWN, DENIED),
    args: ['--unknown', 'fail'],
    code: 2,
  },
  {
    name: 'an unknown image, where no denial counts',
    stdin: stream(UNKNOWN, DENIED),
    args: ['--unknown', 'fail', '--fail-level', 'never'],
    code: 3,
  },
  { name: 'a broken document', stdin: BROKEN, code: 1 },
  { name: 'a broken document beside a denial', stdin: `${stream(DENIED)}\n---\n${BROKEN}`, code: 1 },
];

for (const { name, stdin, args = [], code } of CODES)
  t.test(`exit ${code}: ${name}`, async (t) => {
    const ran = await run(report, ['-f', '-', '--config', ANY, ...args], { stdin });
    t.equal(ran.code, code);
    t.equal(ran.stderr, '');
    t.ok(JSON.parse(ran.stdout), 'and the report is there in any case');
  });

t.test('every object that is judged has a line, with its place', async (t) => {
  const { stdout } = await run(report, ['-f', FIXTURES, '--density', '90', '--config', OFF]);
  t.same(
    reportOf(stdout).results.map(({ rule, result, resource, file, line }) => [
      rule,
      result,
      resource['name'],
      file.slice(FIXTURES.length + 1),
      line,
    ]),
    [
      ['cdi', 'warn', 'cdi', 'cdi.yaml', 2],
      ['multus', 'warn', 'kube-multus-ds', 'multus.yaml', 2],
      ['unknown-image', 'error', 'fedora', 'volumes.yaml', 2],
      ['volume-size', 'skip', 'desktop-1', 'volumes.yaml', 17],
      ['volume-size', 'skip', 'scratch', 'volumes.yaml', 32],
    ],
  );
  t.same(reportOf(stdout).summary, { pass: 0, fail: 0, warn: 2, error: 1, skip: 2 });
});

t.test('a broken document is an error with its place, the others are judged', async (t) => {
  const { stdout } = await run(report, ['-f', '-', '--config', ANY], {
    stdin: `${stream(CLEAN)}\n---\n${BROKEN}\n---\n${stream(DENIED)}`,
  });
  t.match(reportOf(stdout).results, [
    { rule: 'volume-size', result: 'pass', line: 1 },
    { rule: 'oversized', result: 'fail', line: 5 },
    { rule: 'broken-manifest', result: 'error', file: '-', line: 3, message: /^-:3: cannot be read: / },
  ]);
});

t.test('the density of the flag, of the configuration, and the least', async (t) => {
  const fixed = await configuration('fixed', {
    memoryFloor: { density: { statistic: 'fixed', pods: 110 } },
  });
  const limit = async (...args: string[]) =>
    /raised to (\w+)/.exec(
      (await run(report, ['-f', '-', ...args], { stdin: stream(multus('50Mi')) })).stdout,
    )?.[1];
  t.equal(await limit('--density', '250'), '1300Mi');
  t.equal(await limit('--config', fixed), '600Mi');
  t.equal(await limit('--config', fixed, '--density', '90'), '500Mi');
  t.equal(await limit(), '200Mi');
});

t.test('objects that name no namespace are of the one that is named', async (t) => {
  const object = dataVolume(FEDORA, '30Gi', { namespace: undefined });
  const namespaces = async (...args: string[]) => {
    const { stdout } = await run(report, ['-f', '-', '--config', ANY, ...args], {
      stdin: stream(object, cdi()),
    });
    return reportOf(stdout).results.map(({ resource, message }) => [
      resource['namespace'],
      message.split(':')[0],
    ]);
  };
  t.same(await namespaces(), [
    ['default', 'DataVolume default/fedora'],
    ['', 'CDI cdi'],
  ]);
  t.same((await namespaces('--namespace', 'shop'))[0], ['shop', 'DataVolume shop/fedora']);
});

t.test('exemptions hold here too', async (t) => {
  const file = await configuration('exempt', { exemptions: [{ names: ['fed*'], reason: 'it grows' }] });
  const ran = await run(report, ['-f', '-', '--config', file], { stdin: stream(DENIED) });
  t.equal(ran.code, 0);
  t.match(reportOf(ran.stdout).results, [{ result: 'skip', properties: { exempted: 'it grows' } }]);
});

t.test('every format, also of a report without results', async (t) => {
  for (const { name } of FORMATS)
    for (const stdin of ['', stream(CLEAN, DENIED, multus('50Mi'))]) {
      const ran = await run(report, ['-f', '-', '--config', ANY, '-o', name], { stdin });
      t.equal(ran.code, stdin === '' ? 0 : 2, name);
      t.ok(ran.stdout.endsWith('\n'), `${name} ends with a line`);
    }
});

const MISTAKES: readonly { name: string; args: readonly string[]; told: RegExp }[] = [
  { name: 'nothing to judge', args: [], told: /needs -f PATH, -f - or --cluster/ },
  {
    name: 'files and a cluster',
    args: ['-f', '-', '--cluster'],
    told: /--cluster and -f exclude each other/,
  },
  { name: 'writing of files', args: ['-f', '-', '--write', 'auto'], told: /--write needs --cluster/ },
  {
    name: 'an unknown API',
    args: ['--cluster', '--write', 'x'],
    told: /auto, policyreports, openreports, not/,
  },
  {
    name: 'writing what is not so',
    args: ['--cluster', '--write', 'auto', '--density', '90'],
    told: /--write and --density exclude each other/,
  },
  { name: 'an unknown format', args: ['-f', '-', '-o', 'x'], told: /--output has to be one of table, json/ },
  { name: 'an unknown level', args: ['-f', '-', '--fail-level', 'x'], told: /error, warn, never, not 'x'/ },
  { name: 'no density', args: ['-f', '-', '--density', 'x'], told: /whole number from 0 to 5000/ },
];
for (const { name, args, told } of MISTAKES)
  t.test(`a mistake: ${name}`, async (t) => {
    const ran = await run(report, args);
    t.equal(ran.code, 1);
    t.equal(ran.stdout, '');
    t.match(ran.stderr, told);
  });

t.test('an AdmissionReview’s namespace is its object’s', async (t) => {
  const stdin = (request: object) =>
    JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  const object = dataVolume(FEDORA, '30Gi', { namespace: undefined });
  const results = async (request: object) =>
    reportOf(
      (await run(report, ['-f', '-', '--config', ANY], { stdin: stdin({ object, ...request }) })).stdout,
    ).results;
  t.match(await results({ operation: 'CREATE', namespace: 'shop' }), [{ resource: { namespace: 'shop' } }]);
  t.match(await results({ operation: 'UPDATE', namespace: 'shop', oldObject: object }), [
    { result: 'skip', message: /its size cannot be changed any more/ },
  ]);
  t.same(await results({ operation: 'DELETE', namespace: 'shop', object: null, oldObject: object }), []);
});

t.test('files that are no objects are counted', async (t) => {
  const files = await scratch(t);
  await writeFile(join(files, 'package.json'), '{"name": "x"}');
  await writeFile(join(files, 'values.yaml'), 'image: x\n');
  await writeFile(join(files, 'volume.json'), JSON.stringify(CLEAN, null, 2));
  const ran = await run(report, ['-f', files, '--config', ANY, '-o', 'table']);
  t.equal(ran.code, 0);
  t.match(ran.stdout, /1 passed; .*; 2 documents are no Kubernetes objects/);
});

t.test('interrupted before anything was read, it is not clean', async (t) => {
  const ran = await run(report, ['-f', '-', '--config', ANY], {
    stdin: stream(CLEAN),
    signal: AbortSignal.abort(),
  });
  t.equal(ran.code, 1);
  t.match(ran.stderr, 'interrupted while standard input was read');
});

t.test('interrupted by the user, it ends with what was found', async (t) => {
  const asked = Promise.withResolvers<void>();
  // It never answers: without being told to, the looks would go on for minutes.
  const server = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const patient = await configuration('patient', {
    probe: { addresses: { mode: 'any' }, timeoutMilliseconds: 30_000, idleTimeoutMilliseconds: 30_000 },
  });
  const hanging = Array.from({ length: 100 }, (_, index) =>
    dataVolume(`http://127.0.0.1:${port}/${index}.qcow2`, '10Gi'),
  );
  const child = spawn(process.execPath, [MAIN, 'report', '-f', '-', '--config', patient, '-o', 'json']);
  child.stdin.end(stream(multus('50Mi'), ...hanging));
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  await asked.promise;
  child.kill('SIGINT');
  const [stdout, stderr, [code]] = await ended;
  t.equal(code, 1);
  t.equal(stderr, 'plimsoll: interrupted; this is what was found until then\n');
  t.match(
    reportOf(stdout).results.map(({ rule }) => rule),
    ['multus'],
    'images that were still looked at count for nothing',
  );
});
