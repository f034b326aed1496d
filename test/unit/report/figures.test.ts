import t from 'tap';
import {
  bytesOfProperty,
  greatestOf,
  limitFigures,
  share,
  volumeFigures,
} from '../../../src/report/figures.ts';
import type { ReportResult } from '../../../src/report/model.ts';
import { MIXED } from '../../fixtures/report/mixed.ts';

const of = (...results: readonly ReportResult[]) => ({ ...MIXED, results });
const changed = (change: Partial<ReportResult>) => ({ ...MIXED.results[0]!, ...change });

const BYTES = [
  { name: 'a number', text: '1024', expected: 1024n },
  { name: 'nineteen digits', text: '9223372036854775807', expected: 9223372036854775807n },
  { name: 'twenty digits', text: '18446744073709551616', expected: null },
  { name: 'negative', text: '-1', expected: null },
  { name: 'a quantity', text: '1Gi', expected: null },
  { name: 'nothing', text: '', expected: null },
  { name: 'absent', text: undefined, expected: null },
];
for (const { name, text, expected } of BYTES)
  t.test(`bytes: ${name}`, (t) => {
    t.equal(bytesOfProperty(text), expected);
    t.end();
  });

const SHARES = [
  { part: 0n, whole: 10n, expected: 0 },
  { part: 5n, whole: 10n, expected: 0.5 },
  { part: 10n, whole: 10n, expected: 1 },
  { part: 11n, whole: 10n, expected: 1 },
  { part: -1n, whole: 10n, expected: 0 },
  { part: 1n, whole: 0n, expected: 0 },
  { part: 1n << 62n, whole: 1n << 63n, expected: 0.5 },
];
for (const { part, whole, expected } of SHARES)
  t.test(`share: ${part} of ${whole}`, (t) => {
    t.equal(share(part, whole), expected);
    t.end();
  });

t.test('volumes come with the worst of their results, and what needs a person first', (t) => {
  t.same(
    volumeFigures(MIXED).map(({ label, result }) => [label, result]),
    [
      ['DataVolume/images/debian-12', 'fail'],
      ['DataVolume/images/fedora-41', 'fail'],
      ['DataVolume/images/alpine', 'warn'],
      ['DataVolume/images/ubuntu-24.04', 'pass'],
      ['DataVolume/shop/golden', 'skip'],
    ],
  );
  t.end();
});

t.test('data is the allocated size where it is known, else the stored size', (t) => {
  const [debian, fedora] = volumeFigures(MIXED);
  t.equal(debian!.data, 1103101952n);
  t.equal(fedora!.data, 2147483648n);
  t.end();
});

t.test('what one result does not say, another of the same volume may', (t) => {
  const [figure] = volumeFigures(
    of(
      changed({ properties: { requestedBytes: '2' } }),
      changed({ rule: 'tight', properties: { virtualSize: '1' } }),
    ),
  );
  t.match(figure, {
    requested: 2n,
    requestedText: '2',
    virtualSize: 1n,
    data: null,
    acceptedFrom: null,
    format: null,
  });
  t.end();
});

t.test('volumes of the same name in two files are two', (t) => {
  t.equal(volumeFigures(of(changed({}), changed({ file: 'other.yaml' }))).length, 2);
  t.end();
});

const UNDRAWN = [
  { name: 'no request', properties: { virtualSize: '1' } },
  { name: 'nothing of the image', properties: { requestedBytes: '1' } },
  { name: 'a request that is no number', properties: { requestedBytes: 'x', virtualSize: '1' } },
];
for (const { name, properties } of UNDRAWN)
  t.test(`not drawn: ${name}`, (t) => {
    t.same(volumeFigures(of(changed({ properties }))), []);
    t.end();
  });

t.test('limits are those of the target', (t) => {
  t.same(limitFigures(MIXED, 'multus'), [
    {
      label: 'DaemonSet/kube-system/kube-multus-ds',
      field: 'spec.template.spec.containers[kube-multus].resources.limits.memory',
      result: 'fail',
      limit: 52428800n,
      limitText: '50Mi',
      floorText: '500Mi',
    },
  ]);
  t.same(limitFigures(MIXED, 'hyperconverged'), []);
  const bare = changed({ policy: 'memory-floor', rule: 'cdi', properties: {} });
  t.match(limitFigures(of(bare), 'cdi')[0], { limit: null, limitText: null, floorText: null });
  t.end();
});

t.test('the greatest of sizes', (t) => {
  t.equal(greatestOf([1n, 3n, 2n]), 3n);
  t.equal(greatestOf([]), 0n);
  t.end();
});
