import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { choice, readFlags, UsageError, wholeNumber } from '../../../src/cli/command.ts';
import { inPairs, MAIN, runProgram } from './terminal.ts';

// Each start of the program takes a second or, on a busy machine, several.
t.setTimeout(120_000);

const MISTAKES: readonly { args: readonly string[]; told: RegExp }[] = [
  { args: ['reprot'], told: /there is no command 'reprot'/ },
  { args: ['report', '-f', '-x'], told: /Option '-f' argument is ambiguous/ },
  { args: ['report', '-f', 'a', 'b\nc'], told: /Unexpected argument 'b c'/ },
  { args: ['report', '-f', '/nonexistent/x.yaml'], told: /\/nonexistent\/x\.yaml: no such file or folder/ },
  { args: ['probe'], told: /probe needs a URL or a file/ },
  { args: ['serve', '--config', '/nonexistent/c.yaml'], told: /cannot be read \(ENOENT\)/ },
];

t.test('a mistake is one line, and exit 1', async (t) => {
  await inPairs(MISTAKES, async ({ args, told }) => {
    const ran = await runProgram(args);
    t.equal(ran.code, 1, args.join(' '));
    t.equal(ran.stdout, '');
    t.match(ran.stderr, told);
    t.match(ran.stderr, /^plimsoll: [^\n]+\n$/, 'one line');
  });
});

t.test('a reader that went away is no error', async (t) => {
  const child = spawn(process.execPath, [MAIN, 'config', 'print-defaults']);
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  t.equal(code, 0);
});

const OPTIONS = {
  name: { type: 'string', short: 'n' },
  each: { type: 'string', multiple: true },
  on: { type: 'boolean' },
} as const;

const messageOf = (work: () => unknown): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message;
  }
};

t.test('flags', (t) => {
  const flags = readFlags(['-n', 'a', '--each=b', '--each', 'c', '--on', '-'], OPTIONS, 1);
  t.equal(flags.text('name'), 'a');
  t.same(flags.texts('each'), ['b', 'c']);
  t.equal(flags.on('on'), true);
  t.same(flags.positionals, ['-']);
  const none = readFlags([], OPTIONS, 0);
  t.equal(none.text('name'), undefined);
  t.same(none.texts('each'), []);
  t.equal(none.on('on'), false);
  t.end();
});

const WRONG_FLAGS: readonly { args: readonly string[]; told: string }[] = [
  { args: ['--nonsense'], told: "Unknown option '--nonsense'" },
  { args: ['--name'], told: "Option '-n, --name <value>' argument missing" },
  { args: ['--name', '--on'], told: "Option '--name' argument is ambiguous" },
  { args: ['--on=yes'], told: "Option '--on' does not take an argument" },
  { args: ['a', 'b'], told: "unexpected argument 'b'" },
];

for (const { args, told } of WRONG_FLAGS)
  t.test(`wrong flags: ${args.join(' ')}`, (t) => {
    t.equal(
      messageOf(() => readFlags(args, OPTIONS, 1)),
      told,
    );
    t.end();
  });

t.test('where no argument is expected none is taken', (t) => {
  t.match(
    messageOf(() => readFlags(['a'], OPTIONS, 0)),
    /^Unexpected argument 'a'/,
  );
  t.end();
});

t.test('a word of a few', (t) => {
  t.equal(choice('output', 'json', ['text', 'json']), 'json');
  t.equal(
    messageOf(() => choice('output', 'pdf', ['text', 'json'])),
    "--output has to be one of text, json, not 'pdf'",
  );
  t.end();
});

const NUMBERS: readonly { value: string | undefined; number: number | undefined | null }[] = [
  { value: undefined, number: undefined },
  { value: '1', number: 1 },
  { value: '10', number: 10 },
  { value: '007', number: 7 },
  { value: '0', number: null },
  { value: '11', number: null },
  { value: '', number: null },
  { value: '-1', number: null },
  { value: '1.5', number: null },
  { value: '1e1', number: null },
  { value: '0x1', number: null },
  { value: ' 1', number: null },
  { value: 'many', number: null },
];

for (const { value, number } of NUMBERS)
  t.test(`a whole number from 1 to 10: ${value}`, (t) => {
    if (number === null)
      t.equal(
        messageOf(() => wholeNumber('n', value, 1, 10)),
        `--n has to be a whole number from 1 to 10, not '${value}'`,
      );
    else t.equal(wholeNumber('n', value, 1, 10), number);
    t.end();
  });
