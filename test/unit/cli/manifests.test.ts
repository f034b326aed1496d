import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import t from 'tap';
import { findFiles, parseManifests, readManifestFile } from '../../../src/cli/manifests.ts';
import { scratch } from '../../integration/harness.ts';

const DV = 'apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: { name: NAME }\n';
const named = (name: string) => DV.replace('NAME', name);

/** `name@line` of each object, `!line` of each broken document, and how many were ignored. */
function shape(text: string): { objects: string[]; broken: number[]; ignored: number } {
  const { manifests, broken, ignored } = parseManifests(text, 'f.yaml');
  return {
    objects: manifests.map(({ object, line }) => {
      const { name } = (object as { metadata?: { name?: string } }).metadata ?? {};
      return `${name ?? object['kind']}@${line}`;
    }),
    broken: broken.map(({ line }) => line),
    ignored,
  };
}

const list = (kind: string, ...items: string[]) =>
  `apiVersion: v1\nkind: ${kind}\nitems:\n${items
    .map((item) => `- ${item.trimEnd().replaceAll('\n', '\n  ')}\n`)
    .join('')}`;

const TEXTS: readonly { name: string; text: string; expected: ReturnType<typeof shape> }[] = [
  { name: 'nothing', text: '', expected: { objects: [], broken: [], ignored: 0 } },
  {
    name: 'comments alone',
    text: '# nothing\n---\n# here\n',
    expected: { objects: [], broken: [], ignored: 0 },
  },
  { name: 'one', text: named('a'), expected: { objects: ['a@1'], broken: [], ignored: 0 } },
  {
    name: 'after a comment',
    text: `# first\n\n${named('a')}`,
    expected: { objects: ['a@3'], broken: [], ignored: 0 },
  },
  {
    name: 'several documents',
    text: `${named('a')}---\n${named('b')}---\n---\n# empty\n---\n${named('c')}`,
    expected: { objects: ['a@1', 'b@5', 'c@12'], broken: [], ignored: 0 },
  },
  {
    name: 'Windows line ends',
    text: `${named('a')}---\n${named('b')}`.replaceAll('\n', '\r\n'),
    expected: { objects: ['a@1', 'b@5'], broken: [], ignored: 0 },
  },
  {
    name: 'a List',
    text: list('List', named('a'), named('b')),
    expected: { objects: ['a@4', 'b@7'], broken: [], ignored: 0 },
  },
  {
    name: 'a DataVolumeList',
    text: list('DataVolumeList', named('a')),
    expected: { objects: ['a@4'], broken: [], ignored: 0 },
  },
  {
    name: 'a List in a List',
    text: list('List', named('a'), list('List', named('b'))),
    expected: { objects: ['a@4', 'b@10'], broken: [], ignored: 0 },
  },
  {
    name: 'a kind that ends in List but is none',
    text: 'apiVersion: example.com/v1\nkind: BlockList\nspec: {}\n',
    expected: { objects: ['BlockList@1'], broken: [], ignored: 0 },
  },
  {
    name: 'items of a List that are no objects',
    text: 'apiVersion: v1\nkind: List\nitems: [1, null, {}, { kind: X }]\n',
    expected: { objects: [], broken: [], ignored: 1 },
  },
  {
    name: 'an empty List, as kubectl prints it of nothing',
    text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] }, null, 4),
    expected: { objects: [], broken: [], ignored: 0 },
  },
  {
    name: 'JSON',
    text: JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }, null, '\t'),
    expected: { objects: ['a@1'], broken: [], ignored: 0 },
  },
  {
    name: 'documents that are no objects of Kubernetes',
    text: 'just: values\n---\n- a\n- list\n---\ntext\n---\nkind: X\n',
    expected: { objects: [], broken: [], ignored: 4 },
  },
  {
    name: 'a broken document does not hide the others',
    text: `${named('a')}---\na: b: c\n---\n${named('c')}`,
    expected: { objects: ['a@1', 'c@7'], broken: [5], ignored: 0 },
  },
  {
    name: 'a field twice',
    text: `${named('a')}kind: Pod\n`,
    expected: { objects: [], broken: [4], ignored: 0 },
  },
  {
    name: 'an alias that leads nowhere, in the second document',
    text: `${named('a')}---\nx: *nowhere\n---\n${named('c')}`,
    expected: { objects: ['a@1', 'c@7'], broken: [5], ignored: 0 },
  },
  {
    name: 'aliases that unfold to very much',
    text: `${named('a')}---\na: &a [${'x,'.repeat(99)}x]\nb: &b [${'*a,'.repeat(99)}*a]\nc: [${'*b,'.repeat(99)}*b]\n---\n${named('c')}`,
    expected: { objects: ['a@1', 'c@9'], broken: [5], ignored: 0 },
  },
];

for (const { name, text, expected } of TEXTS)
  t.test(name, (t) => {
    t.same(shape(text), expected);
    t.end();
  });

t.test('anchors and merge keys are what they are to kubectl', (t) => {
  const text = `apiVersion: v1
kind: Pod
base: &base { a: 1, b: 2 }
merged:
  <<: *base
  b: 3
`;
  t.same(parseManifests(text, 'f').manifests[0]?.object['merged'], { a: 1, b: 3 });
  t.end();
});

t.test('keys that all objects inherit are the document’s own', (t) => {
  const [one] = parseManifests(`${DV}"__proto__": { spec: 1 }\nconstructor: 2\n`, 'f').manifests;
  t.ok(Object.hasOwn(one!.object, '__proto__'));
  t.equal(one!.object['spec'], undefined);
  t.equal(one!.object['constructor'], 2);
  t.end();
});

t.test('nesting without end is a broken document', (t) => {
  for (const text of ['['.repeat(50_000), '{a: '.repeat(50_000), '- '.repeat(50_000)]) {
    const { broken } = parseManifests(text, 'f');
    t.equal(broken.length, 1);
    t.notMatch(broken[0]?.problem, /\n/);
  }
  t.end();
});

const review = (request: object) =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });

t.test('an AdmissionReview stands for its object', (t) => {
  const object = { apiVersion: 'v1', kind: 'Pod' };
  const read = (request: object) =>
    parseManifests(review(request), 'f').manifests.map(({ operation, object, oldObject }) => [
      operation,
      object,
      oldObject,
    ]);
  t.same(read({ operation: 'CREATE', object, oldObject: null }), [['CREATE', object, null]]);
  t.same(read({ operation: 'UPDATE', object, oldObject: object }), [['UPDATE', object, object]]);
  t.same(read({ operation: 'DELETE', object: null, oldObject: object }), []);
  t.same(read({ operation: 'DELETE', object, oldObject: object }), []);
  t.same(read({ operation: 'CONNECT', object }), []);
  t.same(read({ object }), [['CREATE', object, null]], 'an older one that does not say');
  t.same(read({ object, oldObject: object }), [['UPDATE', object, object]]);
  t.same(read({}), []);
  t.end();
});

t.test('nothing in an AdmissionReview is no Kubernetes object', (t) => {
  t.equal(parseManifests(review({ operation: 'DELETE' }), 'f').ignored, 0);
  t.end();
});

t.test('an AdmissionReview says which namespace it is', (t) => {
  const object = { apiVersion: 'v1', kind: 'Pod' };
  const read = (text: string) => parseManifests(text, 'f').manifests[0]?.namespace;
  t.equal(read(review({ object, namespace: 'a' })), 'a');
  t.equal(read(review({ object })), '', 'of objects without one it names none');
  t.equal(read(JSON.stringify(object)), null, 'other documents do not');
  t.end();
});

t.test('items that do not say what they are, are what their list is of', (t) => {
  const items = [{ metadata: { name: 'a' } }, { apiVersion: 'v1', kind: 'Pod' }];
  const read = (kind: string) =>
    parseManifests(JSON.stringify({ apiVersion: 'apps/v1', kind, items }), 'f').manifests.map(
      ({ object }) => `${object['apiVersion']} ${object['kind']}`,
    );
  t.same(read('DaemonSetList'), ['apps/v1 DaemonSet', 'v1 Pod']);
  t.same(read('List'), ['v1 Pod']);
  t.end();
});

const PODS = ['a', 'b', 'c'].map((name) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  // Lines like those that begin an item, but deeper, or in a text.
  spec: { items: [{ x: {} }, { x: '\n        {' }] },
}));
const JSON_LISTS: readonly { name: string; text: string; lines: readonly number[] }[] = [
  { name: 'as kubectl prints it', text: pretty(PODS, 4), lines: [5, 22, 39] },
  { name: 'by tabs', text: pretty(PODS, '\t'), lines: [5, 22, 39] },
  { name: 'after empty lines', text: `\n\n${pretty(PODS, 2)}`, lines: [7, 24, 41] },
  { name: 'on one line', text: pretty(PODS, 0), lines: [1, 1, 1] },
  {
    name: 'not as printers do',
    text: `\n${pretty(PODS, 4).replaceAll('\n        {', '{')}`,
    lines: [2, 2, 2],
  },
];

function pretty(items: readonly object[], space: string | number): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, space);
}

for (const { name, text, lines } of JSON_LISTS)
  t.test(`lines of a List in JSON: ${name}`, (t) => {
    t.same(
      parseManifests(text, 'f').manifests.map(({ line }) => line),
      lines,
    );
    t.end();
  });

t.test('files of folders, by name and without hidden ones', async (t) => {
  const folder = await scratch(t);
  await mkdir(join(folder, 'b/.git'), { recursive: true });
  for (const file of ['z.yaml', 'a.yml', 'b/c.json', 'b/.git/d.yaml', '.e.yaml', 'f.txt', 'g.yaml.bak'])
    await writeFile(join(folder, file), named('x'));
  const found = await findFiles([folder]);
  t.same(
    found.map((file) => relative(folder, file)),
    ['a.yml', 'b/c.json', 'z.yaml'],
  );
  const txt = join(folder, 'f.txt');
  t.same(await findFiles([txt]), [txt], 'a file that is named is read whatever its name');
  t.same(await findFiles([]), []);
});

t.test('what is not there is the caller’s mistake', async (t) => {
  const folder = await scratch(t);
  await t.rejects(findFiles([join(folder, 'x')]), {
    code: 'usage',
    message: `${folder}/x: no such file or folder`,
  });
  await t.rejects(readManifestFile(folder), { code: 'usage', message: `${folder}: cannot be read (EISDIR)` });
});
