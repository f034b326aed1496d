import { formatForPeople } from '../../quantity/format.ts';
import { greatestOf, type LimitFigure, limitFigures, share } from '../figures.ts';
import type { Report } from '../model.ts';
import { html, type Markup, NOTHING } from './markup.ts';

type Curve = Report['curves'][number];

/** Units of the SVG's own coordinates, which scale with the page. */
const CHART = { width: 400, height: 240, left: 54, right: 14, top: 22, bottom: 36 };
const PLOT = {
  width: CHART.width - CHART.left - CHART.right,
  height: CHART.height - CHART.top - CHART.bottom,
};
/** Right of this a centred label would run out of the chart. */
const DENSITY_LABEL_END = CHART.width - 40;
const MAX_TICKS = 5n;
const MiB = 1n << 20n;

/** A chart for each target: its floor over the pods on a node, this cluster's density, and the limits that were found. */
export function floorsSection(report: Report): Markup {
  const curves = report.curves.filter(({ points }) => points.length > 0);
  if (curves.length === 0) return NOTHING;
  return html`<section aria-labelledby="floors">
<h2 id="floors">Memory floors</h2>
<p class="legend" aria-hidden="true"><span><i class="key floor"></i>floor</span><span><i class="key density"></i>this cluster’s density</span><span><i class="key limit"></i>limit</span></p>
<div class="floors">
${curves.map((curve) => floorChart(curve, limitFigures(report, curve.target), report.density.pods))}</div>
</section>`;
}

interface Scale {
  readonly x: (pods: number) => number;
  readonly y: (bytes: bigint) => number;
  readonly maxPods: number;
  readonly maxBytes: bigint;
}

function floorChart(curve: Curve, limits: readonly LimitFigure[], density: number): Markup {
  const scale = scaleOf(curve, limits, density);
  const floor = floorAt(curve, density);
  const words = `The floor of ${curve.target} is ${formatForPeople(floor)} at ${density} pods on a node`;
  return html`<figure class="floor">
<figcaption><b>${curve.target}</b> <span class="faint">floor ${formatForPeople(floor)} at ${density} pods a node</span></figcaption>
<svg viewBox="0 0 ${CHART.width} ${CHART.height}" role="img" aria-label="${words}">
${axes(scale)}
<polygon class="below" points="${outline(curve, scale)}"/>
<polyline class="curve" points="${curve.points.map((point) => place(scale, point)).join(' ')}"/>
<line class="density" x1="${scale.x(density)}" x2="${scale.x(density)}" y1="${CHART.top}" y2="${CHART.top + PLOT.height}"/>
<text class="density" x="${scale.x(density)}" y="${CHART.top - 7}" text-anchor="${scale.x(density) > DENSITY_LABEL_END ? 'end' : 'middle'}">${density} pods</text>
${limits.map((limit) => limitMark(limit, scale, density))}
<circle class="here" cx="${scale.x(density)}" cy="${scale.y(floor)}" r="4"/>
</svg>
${limits.length === 0 ? html`<p class="faint">No object of this target was found.</p>` : html`<ul>${limits.map(limitLine)}</ul>`}
</figure>
`;
}

function scaleOf(curve: Curve, limits: readonly LimitFigure[], density: number): Scale {
  const sizes = [...curve.points.map(({ bytes }) => bytes), ...limits.flatMap(({ limit }) => limit ?? [])];
  const greatest = greatestOf([MiB, ...sizes]);
  const maxBytes = greatest + greatest / 10n;
  const maxPods = Math.max(1, density, ...curve.points.map(({ pods }) => pods));
  return {
    maxPods,
    maxBytes,
    x: (pods) => rounded(CHART.left + (PLOT.width * Math.max(0, pods)) / maxPods),
    y: (bytes) => rounded(CHART.top + PLOT.height * (1 - share(bytes, maxBytes))),
  };
}

const rounded = (value: number) => Math.round(value * 10) / 10;
const place = (scale: Scale, { pods, bytes }: Curve['points'][number]) =>
  `${scale.x(pods)},${scale.y(bytes)}`;

/** The floor at a density between two points is that of the higher one: floors are rounded up. */
function floorAt({ points }: Curve, density: number): bigint {
  return (points.find(({ pods }) => pods >= density) ?? points.at(-1)!).bytes;
}

/** The area under the curve, which is where a limit may not lie. */
function outline({ points }: Curve, scale: Scale): string {
  const bottom = scale.y(0n);
  const [first, last] = [points[0]!, points.at(-1)!];
  return [
    `${scale.x(first.pods)},${bottom}`,
    ...points.map((point) => place(scale, point)),
    `${scale.x(last.pods)},${bottom}`,
  ].join(' ');
}

function axes(scale: Scale): Markup {
  const byteStep = stepOfBytes(scale.maxBytes);
  const byteTicks = Array.from(
    { length: Number(scale.maxBytes / byteStep) + 1 },
    (_, index) => byteStep * BigInt(index),
  );
  const podStep = stepOfPods(scale.maxPods);
  const podTicks = Array.from(
    { length: Math.floor(scale.maxPods / podStep) + 1 },
    (_, index) => podStep * index,
  );
  const right = CHART.width - CHART.right;
  const bottom = CHART.top + PLOT.height;
  return html`${byteTicks.map(
    (
      bytes,
    ) => html`<line class="grid" x1="${CHART.left}" x2="${right}" y1="${scale.y(bytes)}" y2="${scale.y(bytes)}"/>
<text x="${CHART.left - 7}" y="${scale.y(bytes) + 4}" text-anchor="end">${bytes === 0n ? '0' : formatForPeople(bytes)}</text>
`,
  )}${podTicks.map(
    (pods) => html`<text x="${scale.x(pods)}" y="${bottom + 16}" text-anchor="middle">${pods}</text>
`,
  )}<text class="faint" x="${right}" y="${CHART.height - 4}" text-anchor="end">pods on a node</text>`;
}

/** A power of two of mebibytes that gives few ticks. */
function stepOfBytes(max: bigint): bigint {
  let step = MiB;
  while (max / step > MAX_TICKS) step *= 2n;
  return step;
}

/** 1, 2 or 5 times a power of ten that gives few ticks. */
function stepOfPods(max: number): number {
  const power = 10 ** Math.floor(Math.log10(max / Number(MAX_TICKS)));
  return Math.max(1, power * ([1, 2, 5].find((factor) => max / (power * factor) <= Number(MAX_TICKS)) ?? 10));
}

function limitMark({ limit, result }: LimitFigure, scale: Scale, density: number): Markup {
  if (limit === null) return NOTHING;
  const y = scale.y(limit);
  return html`<line class="limit ${result}" x1="${CHART.left}" x2="${CHART.width - CHART.right}" y1="${y}" y2="${y}"/>
<circle class="limit ${result}" cx="${scale.x(density)}" cy="${y}" r="4"/>
`;
}

function limitLine({ label, result, limitText, floorText, field }: LimitFigure): Markup {
  const limit = limitText === null ? 'no limit' : `limit ${limitText}`;
  return html`<li><span class="badge ${result}">${result}</span> ${label}: ${limit}${
    floorText === null ? '' : `, floor ${floorText}`
  }<br><span class="faint">${field}</span></li>
`;
}
