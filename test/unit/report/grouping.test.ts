import t from 'tap';
import { groupResults, resourceLabel, shortMessage } from '../../../src/report/grouping.ts';
import type { ReportResult } from '../../../src/report/model.ts';
import { MIXED } from '../../fixtures/report/mixed.ts';

const nobody = { apiVersion: '', kind: '', namespace: '', name: '', uid: '' };
const result = (change: Partial<ReportResult>): ReportResult => ({ ...MIXED.results[0]!, ...change });

t.test('groups by file, else by namespace, in order of first appearance', (t) => {
  const [volume, daemon] = [MIXED.results[0]!, MIXED.results.at(-2)!];
  const groups = groupResults([
    daemon,
    volume,
    result({ file: null, resource: { ...nobody, kind: 'CDI' } }),
    result({ file: ' ', resource: { ...nobody, namespace: 'shop' } }),
    result({ line: 99 }),
  ]);
  t.same(
    groups.map(({ title, results }) => [title, results.length]),
    [
      ['namespace kube-system', 1],
      ['base/images.yaml', 2],
      ['cluster-scoped', 1],
      ['namespace shop', 1],
    ],
  );
  t.end();
});

const LABELS = [
  {
    name: 'namespaced',
    resource: { ...nobody, kind: 'DataVolume', namespace: 'a', name: 'b' },
    expected: 'DataVolume/a/b',
  },
  { name: 'cluster-scoped', resource: { ...nobody, kind: 'CDI', name: 'cdi' }, expected: 'CDI/cdi' },
  { name: 'no object at all', resource: nobody, expected: 'document' },
];
for (const { name, resource, expected } of LABELS)
  t.test(`label: ${name}`, (t) => {
    t.equal(resourceLabel(resource), expected);
    t.end();
  });

const MESSAGES = [
  {
    name: 'loses the object it starts with',
    change: {
      message: 'DataVolume a/b: too much',
      resource: { ...nobody, kind: 'DataVolume', namespace: 'a', name: 'b' },
    },
    expected: 'too much',
  },
  {
    name: 'cluster-scoped',
    change: { message: 'CDI cdi: fine', resource: { ...nobody, kind: 'CDI', name: 'cdi' } },
    expected: 'fine',
  },
  {
    name: 'of another object stays whole',
    change: { message: 'CDI cdi2: fine', resource: { ...nobody, kind: 'CDI', name: 'cdi' } },
    expected: 'CDI cdi2: fine',
  },
];
for (const { name, change, expected } of MESSAGES)
  t.test(`message: ${name}`, (t) => {
    t.equal(shortMessage(result(change)), expected);
    t.end();
  });
