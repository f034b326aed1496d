import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { floors } from '../../../src/cli/floors.ts';
import { scratch } from '../../integration/harness.ts';
import { run } from './terminal.ts';

t.test('a table', async (t) => {
  const { code, stdout } = await run(floors, ['--density', '90']);
  t.equal(code, 0);
  t.same(stdout.split('\n'), [
    'density: 90 pods on a node (fixed)',
    '',
    'TARGET          ACTION  FLOOR  AT 30  AT 90  AT 110  AT 250',
    'multus          mutate  500Mi  200Mi  500Mi  600Mi   1300Mi',
    'cdi             mutate  2Gi    2Gi    2Gi    2560Mi  4Gi',
    'hyperconverged  mutate  2Gi    2Gi    2Gi    2560Mi  4Gi',
    '',
  ]);
});

t.test('JSON', async (t) => {
  const { stdout } = await run(floors, ['--density', '110', '-o', 'json']);
  t.same(JSON.parse(stdout), {
    density: { pods: 110, origin: 'fixed' },
    floors: [
      { target: 'multus', action: 'mutate', floor: '600Mi', floorBytes: 629_145_600 },
      { target: 'cdi', action: 'mutate', floor: '2560Mi', floorBytes: 2_684_354_560 },
      { target: 'hyperconverged', action: 'mutate', floor: '2560Mi', floorBytes: 2_684_354_560 },
    ],
  });
});

t.test('of a configuration', async (t) => {
  const file = join(await scratch(t), 'plimsoll.yaml');
  await writeFile(
    file,
    `apiVersion: plimsoll.dev/v1alpha1
kind: Configuration
memoryFloor:
  density: { minimum: 50 }
  targets: { cdi: { enabled: false }, multus: { action: deny } }
  additional:
    - name: fluent-bit
      match: { container: { name: fluent-bit } }
      curve: { base: 0, perPod: 1Mi, step: 1Mi, min: 0, max: 1Gi }
`,
  );
  const { stdout } = await run(floors, ['--config', file, '-o', 'json']);
  const { density, floors: rows } = JSON.parse(stdout);
  t.same(density, { pods: 50, origin: 'minimum' });
  t.same(
    rows.map(({ target, action, floor }: Record<string, string>) => [target, action, floor]),
    [
      ['multus', 'deny', '300Mi'],
      ['hyperconverged', 'mutate', '2Gi'],
      ['fluent-bit', 'mutate', '50Mi'],
    ],
  );
});

t.test('no pods at all', async (t) => {
  const { stdout } = await run(floors, ['--density', '0', '-o', 'json']);
  t.equal(JSON.parse(stdout).floors[0].floor, '100Mi');
});

t.test('mistakes', async (t) => {
  for (const args of [['x'], ['-o', 'yaml'], ['--density', '-1'], ['--density', '5001'], ['--nonsense']])
    t.equal((await run(floors, args)).code, 1, args.join(' '));
});
