import { mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { followSettings, type LiveSettings, loadSettings } from '../../../src/config/load.ts';
import { ConfigurationError, DEFAULT_CONFIGURATION } from '../../../src/config/parse.ts';

const HEAD = 'apiVersion: plimsoll.dev/v1alpha1\nkind: Configuration\n';
const ofLevel = (level: string) => `${HEAD}log: { level: ${level} }\n`;

/** In one step, so that nobody sees half of it. */
async function put(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

interface Test {
  teardown(end: () => void | Promise<void>): void;
}

async function folderFor(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-load-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
}

/** Follows the file and remembers what it was told; `next` waits for the change after those that were seen. */
async function follow(t: Test, file: string) {
  const told: { level: string; problem: string | null }[] = [];
  let wake = () => {};
  const live: LiveSettings = await followSettings(file, 5, (settings, problem) => {
    told.push({ level: settings.configuration.log.level, problem });
    wake();
  });
  // Following keeps no process alive; this does while the test waits.
  const alive = setInterval(() => {}, 1000);
  t.teardown(() => {
    clearInterval(alive);
    live.stop();
  });
  let seen = 0;
  const next = async () => {
    while (told.length === seen) await new Promise<void>((resolve) => (wake = resolve));
    return told[seen++]!;
  };
  return { live, told, next };
}

const levelOf = (live: LiveSettings) => live.current().configuration.log.level;

t.test('no file is the defaults', async (t) => {
  t.same((await loadSettings(undefined)).configuration, DEFAULT_CONFIGURATION);
  const live = await followSettings(undefined, 5, () => t.fail('nothing can change'));
  t.same(live.current().configuration, DEFAULT_CONFIGURATION);
  t.equal(live.problem(), null);
  live.stop();
});

t.test('a file that is missing, or broken from the start, is an error', async (t) => {
  const folder = await folderFor(t);
  const missing = join(folder, 'missing.yaml');
  const expected = { name: 'ConfigurationError', message: `${missing}: cannot be read (ENOENT)` };
  await t.rejects(loadSettings(missing), expected);
  await t.rejects(
    followSettings(missing, 5, () => {}),
    expected,
  );
  const broken = join(folder, 'broken.yaml');
  await put(broken, ofLevel('loud'));
  await t.rejects(loadSettings(broken), ConfigurationError);
  await t.rejects(
    followSettings(broken, 5, () => {}),
    ConfigurationError,
  );
  await t.rejects(loadSettings(folder), { message: `${folder}: cannot be read (EISDIR)` });
});

t.test('a changed file is taken up', async (t) => {
  const file = join(await folderFor(t), 'plimsoll.yaml');
  await put(file, ofLevel('info'));
  const { live, next } = await follow(t, file);
  t.equal(levelOf(live), 'info');
  await put(file, ofLevel('debug'));
  t.same(await next(), { level: 'debug', problem: null });
  t.equal(levelOf(live), 'debug');
});

const BREAKAGES: readonly { name: string; text: string }[] = [
  { name: 'an unknown value', text: ofLevel('loud') },
  { name: 'no YAML', text: 'a: b: c' },
  { name: 'an alias that leads nowhere', text: `${HEAD}log: *level\n` },
  { name: 'a quantity that is none', text: `${HEAD}volumeSize: { allowance: much }\n` },
];

for (const { name, text } of BREAKAGES)
  t.test(`a broken file leaves the last good one in force: ${name}`, async (t) => {
    const file = join(await folderFor(t), 'plimsoll.yaml');
    await put(file, ofLevel('warn'));
    const { live, next } = await follow(t, file);
    await put(file, text);
    const { level, problem } = await next();
    t.equal(level, 'warn');
    t.ok(problem);
    t.equal(live.problem(), problem);
    t.equal(levelOf(live), 'warn');
    await put(file, ofLevel('error'));
    t.same(await next(), { level: 'error', problem: null }, 'and the next good one is taken up');
    t.equal(live.problem(), null);
  });

t.test('a good file that comes back as it was ends the problem', async (t) => {
  const file = join(await folderFor(t), 'plimsoll.yaml');
  await put(file, ofLevel('warn'));
  const { live, next } = await follow(t, file);
  await unlink(file);
  t.same(await next(), { level: 'warn', problem: `${file}: cannot be read (ENOENT)` });
  await put(file, ofLevel('warn'));
  t.same(await next(), { level: 'warn', problem: null });
  t.equal(live.problem(), null);
});

t.test('one problem is told once, however often it is seen', async (t) => {
  const file = join(await folderFor(t), 'plimsoll.yaml');
  await put(file, ofLevel('warn'));
  const { told, next } = await follow(t, file);
  await unlink(file);
  await next();
  await new Promise((resolve) => setTimeout(resolve, 60));
  await put(file, ofLevel('silent'));
  t.same(await next(), { level: 'silent', problem: null });
  t.equal(told.length, 2);
});

t.test('a mounted ConfigMap, which is swapped by its symbolic link', async (t) => {
  const folder = await folderFor(t);
  const [one, two, link] = ['one', 'two', 'plimsoll.yaml'].map((name) => join(folder, name));
  await put(one!, ofLevel('info'));
  await put(two!, ofLevel('debug'));
  await symlink(one!, link!);
  const { next } = await follow(t, link!);
  await unlink(link!);
  await symlink(two!, link!);
  let change = await next();
  // The moment without a link may have been seen as well.
  if (change.problem !== null) change = await next();
  t.same(change, { level: 'debug', problem: null });
});

t.test('nothing is told after stop', async (t) => {
  const file = join(await folderFor(t), 'plimsoll.yaml');
  await put(file, ofLevel('info'));
  const live = await followSettings(file, 1, () => t.fail('stopped'));
  live.stop();
  await put(file, ofLevel('debug'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(levelOf(live), 'info');
});
