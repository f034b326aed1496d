import t from 'tap';
import { floorsSection } from '../../../../src/report/html/floors.ts';
import { MIXED } from '../../../fixtures/report/mixed.ts';

const MiB = 1n << 20n;
const draw = (change: Partial<typeof MIXED>) => floorsSection({ ...MIXED, ...change }).markup;
const curve = (...points: readonly (readonly [number, bigint])[]) => ({
  target: 'multus',
  points: points.map(([pods, bytes]) => ({ pods, bytes: bytes * MiB })),
});

t.test('a chart for each curve, with its limit', (t) => {
  const markup = draw({});
  t.equal(markup.match(/<svg /g)?.length, 2);
  t.match(markup, 'aria-label="The floor of multus is 500Mi at 90 pods on a node"');
  t.match(markup, 'DaemonSet/kube-system/kube-multus-ds: limit 50Mi, floor 500Mi');
  t.match(markup, 'CDI/cdi: limit 3Gi, floor 2Gi');
  t.equal(markup.match(/<circle class="limit (fail|pass)"/g)?.length, 2);
  t.end();
});

t.test('the floor between two points is that of the higher', (t) => {
  const curves = [curve([0, 100n], [100, 500n])];
  t.match(draw({ curves, density: { pods: 1, origin: 'fixed' } }), 'floor 500Mi at 1 pods');
  t.match(draw({ curves, density: { pods: 0, origin: 'fixed' } }), 'floor 100Mi at 0 pods');
  t.match(draw({ curves, density: { pods: 900, origin: 'fixed' } }), 'floor 500Mi at 900 pods');
  t.end();
});

t.test('all that is drawn lies within the chart', (t) => {
  for (const pods of [0, 90, 900]) {
    const markup = draw({ density: { pods, origin: 'fixed' } });
    const numbers = [...markup.matchAll(/ (?:c?x[12]?)="([\d.-]+)"/g)].map(([, value]) => Number(value));
    const heights = [...markup.matchAll(/ (?:c?y[12]?)="([\d.-]+)"/g)].map(([, value]) => Number(value));
    t.ok(numbers.length > 10 && numbers.every((x) => x >= 0 && x <= 400), `x at ${pods}`);
    t.ok(heights.length > 10 && heights.every((y) => y >= 0 && y <= 240), `y at ${pods}`);
  }
  t.end();
});

const TICKS = [
  {
    name: 'few although more would fit',
    points: curve([0, 1n], [30, 9n]),
    bytes: ['0', '2Mi', '4Mi', '6Mi', '8Mi'],
    pods: ['0', '10', '20', '30'],
  },
  {
    name: 'small',
    points: curve([0, 1n], [7, 3n]),
    bytes: ['0', '1Mi', '2Mi', '3Mi'],
    pods: ['0', '2', '4', '6'],
  },
  {
    name: 'as shipped',
    points: curve([0, 100n], [250, 1300n]),
    bytes: ['0', '256Mi', '512Mi', '768Mi', '1Gi', '1.25Gi'],
    pods: ['0', '50', '100', '150', '200', '250'],
  },
];
for (const { name, points, bytes, pods } of TICKS)
  t.test(`ticks: ${name}`, (t) => {
    const markup = draw({ curves: [points], results: [], density: { pods: 1, origin: 'fixed' } });
    const texts = (anchor: string) =>
      [
        ...markup.matchAll(new RegExp(`<text x="[\\d.]+" y="[\\d.]+" text-anchor="${anchor}">([^<]+)`, 'g')),
      ].map(([, text]) => text);
    t.same(texts('end'), bytes);
    t.same(texts('middle'), pods);
    t.end();
  });

t.test('a target without objects, and a limit that is not set, are told in words', (t) => {
  t.match(draw({ results: [] }), 'No object of this target was found.');
  const bare = { ...MIXED.results.at(-2)!, properties: {} };
  const markup = draw({ results: [bare] });
  t.match(markup, 'kube-multus-ds: no limit<br>');
  t.notMatch(markup, /class="limit fail"/);
  t.end();
});

t.test('the density is named within the chart', (t) => {
  t.match(draw({ density: { pods: 90, origin: 'fixed' } }), 'text-anchor="middle">90 pods<');
  t.match(draw({ density: { pods: 900, origin: 'fixed' } }), 'text-anchor="end">900 pods<');
  t.end();
});

t.test('without curves there is no section', (t) => {
  t.equal(draw({ curves: [] }), '');
  t.equal(draw({ curves: [{ target: 'multus', points: [] }] }), '');
  t.end();
});
