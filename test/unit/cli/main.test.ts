import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { scratch } from '../../integration/harness.ts';
import { inPairs, MAIN, runProgram } from './terminal.ts';

// Each start of the program takes a second or, on a busy machine, several.
t.setTimeout(120_000);

const COMMANDS = ['serve', 'report', 'probe', 'floors', 'certs', 'config', 'demo'];

t.test('help, for the program and for each command', async (t) => {
  const overview = await runProgram(['--help']);
  t.equal(overview.code, 0);
  const listed = [...overview.stdout.matchAll(/^ {2}(\w+) +\S/gm)].map(([, name]) => name!);
  for (const command of COMMANDS) t.ok(listed.includes(command), command);
  await inPairs(listed, async (command) => {
    const { code, stdout, stderr } = await runProgram([command, '--help']);
    t.equal(code, 0, command);
    t.ok(stdout.startsWith(`plimsoll ${command}`), command);
    t.match(stdout, /^Usage:/m, command);
    t.equal(stderr, '');
    for (const line of stdout.split('\n')) t.ok(line.length <= 120, `${command}: ${line}`);
  });
});

t.test('without a command it tells what there is, and is a mistake', async (t) => {
  const { code, stdout } = await runProgram([]);
  t.equal(code, 1);
  t.match(stdout, /^Usage: plimsoll COMMAND/m);
});

t.test('the version', async (t) => {
  const { code, stdout } = await runProgram(['--version']);
  t.equal(code, 0);
  t.match(stdout, /^plimsoll \d+\.\d+\.\d+\n$/);
});

t.test('as a plugin of kubectl it goes by its name there', async (t) => {
  const link = join(await scratch(t), 'kubectl-plimsoll.ts');
  await symlink(MAIN, link);
  const help = await runProgram(['report', '--help'], '', link);
  t.match(help.stdout, /^Usage: kubectl plimsoll report /m);
  const mistake = await runProgram(['reprot'], '', link);
  t.equal(
    mistake.stderr,
    "kubectl plimsoll: there is no command 'reprot'; 'kubectl plimsoll --help' lists them\n",
  );
});
