import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Command } from '../../../src/cli/command.ts';
import { completionOf } from '../../../src/cli/completion.ts';
import { scratch } from '../../integration/harness.ts';
import { run } from './terminal.ts';

const command = (over: Partial<Command>): Command => ({
  help: '',
  options: {},
  positionals: 0,
  run: async () => 0,
  ...over,
});

const COMMANDS = [
  {
    name: 'report',
    command: command({
      options: { output: { type: 'string', short: 'o' }, config: { type: 'string' } },
      values: { output: ['table', 'json', 'junit'] },
    }),
  },
  { name: 'certs', command: command({ words: ['init'] }) },
];
const completion = completionOf(async () => COMMANDS);

const ROWS: readonly { name: string; typed: readonly string[]; offered: readonly string[] }[] = [
  { name: 'commands', typed: [''], offered: ['report', 'certs', '--help', '--version'] },
  { name: 'a command that is begun', typed: ['rep'], offered: ['report'] },
  { name: 'a command that is whole', typed: ['report'], offered: ['report'] },
  { name: 'flags of a command', typed: ['report', '--'], offered: ['--output', '--config', '--help'] },
  { name: 'words of a command', typed: ['certs', 'i'], offered: ['init'] },
  { name: 'values of a flag', typed: ['report', '--output', 'j'], offered: ['json', 'junit'] },
  { name: 'values of its short form', typed: ['report', '-o', ''], offered: ['table', 'json', 'junit'] },
  { name: 'files', typed: ['report', '--config', 'plim'], offered: ['plimsoll.yaml'] },
  { name: 'nothing', typed: ['report', 'nothing-like-it'], offered: [] },
];

/** How a test asks each shell's own machinery what it would offer. */
const BASH = `source ./completion
COMP_WORDS=(plimsoll "$@") COMP_CWORD=$#
$(complete -p plimsoll | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "\${COMPREPLY[@]}"`;

const hasBash = spawnSync('bash', ['--version']).status === 0;
t.test('bash offers what can follow', { skip: hasBash ? false : 'no bash is installed' }, async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'plimsoll.yaml'), '');
  await writeFile(join(folder, 'completion'), (await run(completion, ['bash'])).stdout);
  for (const { name, typed, offered } of ROWS) {
    const asked = spawnSync('bash', ['--norc', '-c', BASH, 'bash', ...typed], {
      cwd: folder,
      encoding: 'utf8',
    });
    t.equal(asked.stderr, '', name);
    t.same(asked.stdout.trim().split('\n').filter(Boolean), offered, name);
  }
});

const hasZsh = spawnSync('zsh', ['--version']).status === 0;
t.test('zsh takes the script', { skip: hasZsh ? false : 'no zsh is installed' }, async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'completion'), (await run(completion, ['zsh'])).stdout);
  const asked = spawnSync('zsh', ['-f', '-c', 'source ./completion && print $_comps[plimsoll]'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ZDOTDIR: folder },
  });
  t.equal(asked.stderr, '');
  t.match(asked.stdout, '_plimsoll');
});

t.test('another shell is a mistake', async (t) => {
  for (const args of [[], ['fish'], ['constructor']])
    t.match(await run(completion, args), { code: 1, stderr: /needs one of bash, zsh/ });
});
