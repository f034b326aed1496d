import t from 'tap';
import { type VolumeFigure, volumeFigures } from '../../../../src/report/figures.ts';
import { volumesSection } from '../../../../src/report/html/volumes.ts';
import { MIXED } from '../../../fixtures/report/mixed.ts';

const FIGURE: VolumeFigure = {
  label: 'DataVolume/a/b',
  result: 'fail',
  requested: 30n,
  requestedText: '30',
  virtualSize: 10n,
  data: 1n,
  acceptedFrom: 10n,
  acceptedTo: 20n,
  suggested: '10',
  format: 'qcow2',
};
const draw = (change: Partial<VolumeFigure>) => volumesSection([{ ...FIGURE, ...change }]).markup;

t.test('draws everything on one scale', (t) => {
  // The scale ends at 30 + 30/16 + 1 = 32 bytes.
  const markup = draw({});
  t.match(markup, 'class="disk" style="width:31.25%"');
  t.match(markup, 'class="data" style="width:3.12%"');
  t.match(markup, 'class="band" style="left:31.25%;width:31.25%"');
  t.match(markup, 'class="request" style="left:93.75%"');
  t.end();
});

t.test('leaves out what is not known', (t) => {
  const markup = draw({ virtualSize: null, acceptedFrom: null, suggested: null, format: null });
  for (const mark of ['class="disk"', 'class="band"', 'suggested', 'null'])
    t.notOk(markup.includes(mark), mark);
  t.match(markup, 'class="data"');
  t.end();
});

const BANDS = [
  {
    name: 'without an upper bound it is open',
    change: { acceptedTo: null },
    expected: 'class="band open" style="left:31.25%;width:68.75%"',
  },
  {
    name: 'of one size it is still to be seen',
    change: { acceptedTo: 10n },
    expected: 'class="band" style="left:31.25%;width:0.4%"',
  },
];
for (const { name, change, expected } of BANDS)
  t.test(`accepted: ${name}`, (t) => {
    t.match(draw(change), expected);
    t.end();
  });

const LABELS = [
  {
    name: 'at the left end',
    requested: 1n,
    acceptedTo: 100n,
    expected: /class="label" style="left:[\d.]+%;transform:translateX\(-25%\)/,
  },
  {
    name: 'in the middle',
    requested: 50n,
    acceptedTo: 100n,
    expected: /class="label" style="left:[\d.]+%;transform:translateX\(-50%\)/,
  },
  {
    name: 'at the right end',
    requested: 100n,
    acceptedTo: 100n,
    expected: /class="label" style="right:[\d.]+%;transform:translateX\(25%\)/,
  },
];
for (const { name, expected, ...change } of LABELS)
  t.test(`label: ${name}`, (t) => {
    t.match(draw(change), expected);
    t.end();
  });

t.test('says in words what it draws', (t) => {
  t.match(draw({}), 'aria-label="requests 30 · disk 10B · data 1B · accepted 10B to 20B · suggested 10"');
  t.match(draw({ acceptedTo: null }), 'accepted 10B or more');
  t.match(draw({ acceptedTo: 10n }), 'accepted 10B · ');
  t.notMatch(draw({ suggested: '30' }), /suggested/);
  t.end();
});

t.test('draws so many and says how many are left', (t) => {
  const { markup } = volumesSection(Array.from({ length: 203 }, () => FIGURE));
  t.equal(markup.match(/<figure /g)?.length, 200);
  t.match(markup, '3 more volumes are in the table below.');
  t.notMatch(volumesSection(volumeFigures(MIXED)).markup, /more volumes/);
  t.end();
});

t.test('without volumes there is no section', (t) => {
  t.equal(volumesSection([]).markup, '');
  t.end();
});
