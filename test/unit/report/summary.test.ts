import t from 'tap';
import { summarize } from '../../../src/report/model.ts';
import { countsInWords, densityInWords, ignoredInWords } from '../../../src/report/summary.ts';
import { MIXED } from '../../fixtures/report/mixed.ts';

const none = { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };

t.test('counts every result once', (t) => {
  t.same(summarize(MIXED.results), { pass: 2, fail: 3, warn: 2, error: 2, skip: 2 });
  t.same(summarize([]), none);
  t.end();
});

const COUNTS = [
  { name: 'nothing', summary: none, expected: null },
  {
    name: 'singular',
    summary: { pass: 1, fail: 1, warn: 1, error: 1, skip: 1 },
    expected: '1 failed, 1 error, 1 warning, 1 passed, 1 skipped',
  },
  {
    name: 'plural',
    summary: { pass: 2, fail: 2, warn: 2, error: 2, skip: 2 },
    expected: '2 failed, 2 errors, 2 warnings, 2 passed, 2 skipped',
  },
  { name: 'leaves out what did not happen', summary: { ...none, skip: 7 }, expected: '7 skipped' },
];
for (const { name, summary, expected } of COUNTS)
  t.test(`counts: ${name}`, (t) => {
    t.equal(countsInWords(summary), expected);
    t.end();
  });

t.test('each count can be painted by its kind', (t) => {
  t.equal(
    countsInWords({ ...none, fail: 1, pass: 2 }, (text, kind) => `<${kind}>${text}`),
    '<fail>1 failed, <pass>2 passed',
  );
  t.end();
});

const DENSITIES = [
  { origin: 'highWaterMark', expected: '90 pods a node (the most that a node has held)' },
  { origin: 'fixed', expected: '90 pods a node (as given)' },
  { origin: 'minimum', expected: '90 pods a node (the least that is planned for)' },
  { origin: 'allocatable', expected: '90 pods a node (the most that a node may hold)' },
  { origin: 'elsewhere', expected: '90 pods a node (elsewhere)' },
  { origin: 'constructor', expected: '90 pods a node (constructor)' },
];
for (const { origin, expected } of DENSITIES)
  t.test(`density: ${origin}`, (t) => {
    t.equal(densityInWords({ pods: 90, origin }), expected);
    t.end();
  });

t.test('ignored documents are told where there are any', (t) => {
  t.equal(ignoredInWords(0), null);
  t.equal(ignoredInWords(1), '1 document is no Kubernetes object');
  t.equal(ignoredInWords(2), '2 documents are no Kubernetes objects');
  t.end();
});
