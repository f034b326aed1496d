import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { config } from '../../../src/cli/config.ts';
import { printDefaults } from '../../../src/config/print.ts';
import { CONFIGURATION_SCHEMA } from '../../../src/config/schema.ts';
import { scratch } from '../../integration/harness.ts';
import { run } from './terminal.ts';

t.test('print-defaults', async (t) => {
  t.same(await run(config, ['print-defaults']), { code: 0, stdout: printDefaults(), stderr: '' });
});

t.test('schema', async (t) => {
  const { code, stdout } = await run(config, ['schema']);
  t.equal(code, 0);
  t.same(JSON.parse(stdout), CONFIGURATION_SCHEMA);
});

t.test('validate tells that a file is valid', async (t) => {
  const file = join(await scratch(t), 'plimsoll.yaml');
  await writeFile(file, printDefaults());
  t.same(await run(config, ['validate', file]), { code: 0, stdout: `${file}: valid\n`, stderr: '' });
});

t.test('validate tells all that is wrong, a line each', async (t) => {
  const file = join(await scratch(t), 'plimsoll.yaml');
  await writeFile(file, 'kind: Configuration\nlog: { level: loud }\n');
  const { code, stdout, stderr } = await run(config, ['validate', file]);
  t.equal(code, 1);
  t.equal(stdout, '');
  t.same(stderr.trimEnd().split('\n'), [
    `${file}: configuration: must have required property 'apiVersion'`,
    `${file}: log.level: must be one of debug, info, warn, error, silent`,
  ]);
});

t.test('validate checks what the schema cannot', async (t) => {
  const file = join(await scratch(t), 'plimsoll.yaml');
  await writeFile(
    file,
    'apiVersion: plimsoll.dev/v1alpha1\nkind: Configuration\nvolumeSize: { allowance: lots }\n',
  );
  const { code, stderr } = await run(config, ['validate', file]);
  t.equal(code, 1);
  t.match(stderr, /volumeSize\.allowance: it is not a number/);
});

t.test('mistakes', async (t) => {
  for (const args of [[], ['validate'], ['nonsense'], ['validate', '/nonexistent/x'], ['schema', 'a', 'b']])
    t.equal((await run(config, args)).code, 1, args.join(' '));
});
