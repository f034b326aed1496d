import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import t from 'tap';

const SRC = resolve(import.meta.dirname, '../src');

/** A row of the table of rooms: its name, and what it may import besides itself. */
interface Room {
  readonly name: string;
  readonly imports: readonly string[];
  /** Of these, the ones that it knows by their shapes alone. */
  readonly typesOnly: readonly string[];
}

function roomOfRow([, name = '', cell = '']: readonly string[]): Room {
  if (cell === 'nothing') return { name, imports: [], typesOnly: [] };
  const words = cell.split(', ');
  const bare = words.map((word) => word.replace(' (types)', ''));
  return { name, imports: bare, typesOnly: bare.filter((_, index) => words[index]!.endsWith(' (types)')) };
}

const DOCUMENT = readFileSync(resolve(SRC, '../docs/ARCHITECTURE.md'), 'utf8');
const ROOMS = [...DOCUMENT.matchAll(/^\| `(\w+)\/` \|.*\| ([^|]+) \|$/gm)].map(roomOfRow);

/** Rooms that do no I/O and read no clock: nothing but their arguments decides what they answer. */
const PURE = ['object', 'bytes', 'quantity', 'image', 'volume', 'density', 'floor', 'policy', 'report'];

/** Packages with one importer. */
const SOLE_IMPORTERS: Readonly<Record<string, RegExp>> = {
  fastify: /^admission\//,
  '@kubernetes/client-node': /^kube\//,
  'node-forge': /^tls\/authority\.ts$/,
  ajv: /^config\//,
};

const PURE_BUILTINS = new Set(['node:zlib', 'node:net', 'node:util']);
const WORLD =
  /\bprocess\.env\b|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bfetch\(|\bconsole\.|\bsetTimeout\(/;
const GRAB_BAG = /(^|\/)(utils?|helpers?|common|types|index|misc)\.ts$/;

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\('([^']+)'\)/g,
  );
  return [...found].map(([, typeOnly, named, dynamic]) => {
    const target = named ?? dynamic ?? '';
    return {
      file,
      typeOnly: typeOnly !== undefined,
      target: target.startsWith('.') ? relative(SRC, resolve(SRC, dirname(file), target)) : target,
    };
  });
}

const roomOf = (path: string) =>
  path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.ts$/, '');
const isOurs = (target: string) => files.includes(target);
const imports = files.flatMap(importsOf);

t.test('the table of rooms has every folder', (t) => {
  t.same(
    ROOMS.map(({ name }) => name).sort(),
    [...new Set(files.filter((file) => file.includes('/')).map(roomOf))]
      .filter((room) => room !== 'server')
      .sort(),
  );
  t.same(
    ROOMS.slice(0, PURE.length).map(({ name }) => name),
    PURE,
    'the first ones are pure, as the text says',
  );
  t.end();
});

t.test('every room imports only what its row names', (t) => {
  for (const { file, target, typeOnly } of imports.filter(({ target }) => isOurs(target))) {
    const [name, other] = [roomOf(file), roomOf(target)];
    const room = ROOMS.find((row) => row.name === name);
    if (name === 'server' || name === other || room?.imports.includes('everything')) continue;
    t.ok(room?.imports.includes(other), `${file} imports ${target}`);
    if (room?.typesOnly.includes(other)) t.ok(typeOnly, `${file} imports only types of ${target}`);
  }
  t.ok(imports.length > 20, 'imports were found at all');
  t.end();
});

t.test('relative imports name files that exist', (t) => {
  for (const { file, target } of imports)
    if (target.endsWith('.ts') || target.startsWith('..')) t.ok(isOurs(target), `${file} imports ${target}`);
  t.end();
});

t.test('packages with a single importer', (t) => {
  for (const { file, target } of imports) {
    const allowed = SOLE_IMPORTERS[target];
    if (allowed) t.match(file, allowed, `${file} imports ${target}`);
  }
  t.end();
});

t.test('pure rooms touch nothing outside', (t) => {
  for (const file of files.filter((file) => PURE.includes(roomOf(file)))) {
    const code = readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    if (!file.startsWith('report/html')) t.notMatch(code, WORLD, `${file} reads the world`);
  }
  for (const { file, target } of imports)
    if (PURE.includes(roomOf(file)) && target.startsWith('node:'))
      t.ok(PURE_BUILTINS.has(target), `${file} imports ${target}`);
  t.end();
});

t.test('files are named for their purpose and export by name', (t) => {
  for (const file of files) {
    t.notMatch(file, GRAB_BAG);
    t.notMatch(readFileSync(join(SRC, file), 'utf8'), /^export default/m, `${file}: default export`);
  }
  t.end();
});

t.test('process.env is read by config and cli alone', (t) => {
  for (const file of files.filter((file) => !/^(config|cli)\/|^server\.ts$/.test(file)))
    t.notMatch(readFileSync(join(SRC, file), 'utf8'), /process\.env/, file);
  t.end();
});
