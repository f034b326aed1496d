import { formatForPeople } from '../../quantity/format.ts';
import { greatestOf, share, type VolumeFigure } from '../figures.ts';
import { html, type Markup, NOTHING } from './markup.ts';

/** Bars beyond this many slow a browser down and are read by nobody; the table has every volume. */
const MAX_DRAWN = 200;

/** A bar for each volume: data, disk, accepted band and request on one scale. */
export function volumesSection(figures: readonly VolumeFigure[]): Markup {
  if (figures.length === 0) return NOTHING;
  const drawn = figures.slice(0, MAX_DRAWN);
  const hidden = figures.length - drawn.length;
  return html`<section aria-labelledby="volumes">
<h2 id="volumes">Volumes and their images</h2>
<p class="legend" aria-hidden="true"><span><i class="key data"></i>data</span><span><i class="key disk"></i>disk once decompressed</span><span><i class="key band"></i>accepted</span><span><i class="key request"></i>request</span></p>
<div class="volumes">
${drawn.map(volumeBar)}</div>
${hidden === 0 ? NOTHING : html`<p class="note">${hidden} more volumes are in the table below.</p>`}
</section>`;
}

function volumeBar(figure: VolumeFigure): Markup {
  const { data, virtualSize, requested, acceptedFrom } = figure;
  const words = inWords(figure);
  const scale = scaleOf(figure);
  const at = percent(share(requested, scale));
  return html`<figure class="volume ${figure.result}">
<figcaption><span class="badge ${figure.result}">${figure.result}</span> <b>${figure.label}</b>${
    figure.format === null ? NOTHING : html` <span class="faint">${figure.format}</span>`
  }</figcaption>
<div class="bar" role="img" aria-label="${words}">
<i class="label" style="${labelPosition(share(requested, scale))}">${figure.requestedText}</i>
<i class="track"></i>
${acceptedFrom === null ? NOTHING : band(acceptedFrom, figure.acceptedTo, scale)}
${virtualSize === null ? NOTHING : html`<i class="disk" style="width:${percent(share(virtualSize, scale))}"></i>`}
${data === null ? NOTHING : html`<i class="data" style="width:${percent(share(data, scale))}"></i>`}
<i class="request" style="left:${at}"></i>
</div>
<p class="faint">${words}</p>
</figure>
`;
}

/** Bytes at the right end: a little more than the greatest thing drawn, so that its mark has room. */
function scaleOf({ requested, virtualSize, data, acceptedFrom, acceptedTo }: VolumeFigure): bigint {
  const sizes = [requested, virtualSize, data, acceptedFrom, acceptedTo].filter((size) => size !== null);
  const greatest = greatestOf(sizes);
  return greatest + greatest / 16n + 1n;
}

function band(from: bigint, to: bigint | null, scale: bigint): Markup {
  const start = share(from, scale);
  const end = to === null ? 1 : share(to, scale);
  // A band of one size is still a place to aim at.
  const width = Math.max(0.004, end - start);
  return html`<i class="band${to === null ? ' open' : ''}" style="left:${percent(start)};width:${percent(width)}"></i>`;
}

const percent = (ratio: number) => `${Math.round(ratio * 10_000) / 100}%`;

/** Centred on its mark, but within the bar at both ends. */
function labelPosition(ratio: number): string {
  if (ratio > 0.9) return `right:${percent(1 - ratio)};transform:translateX(25%)`;
  return ratio < 0.1
    ? `left:${percent(ratio)};transform:translateX(-25%)`
    : `left:${percent(ratio)};transform:translateX(-50%)`;
}

function inWords(figure: VolumeFigure): string {
  const { data, virtualSize, acceptedFrom, acceptedTo, suggested, requestedText } = figure;
  return [
    `requests ${requestedText}`,
    virtualSize === null ? null : `disk ${formatForPeople(virtualSize)}`,
    data === null ? null : `data ${formatForPeople(data)}`,
    acceptedFrom === null ? null : `accepted ${range(acceptedFrom, acceptedTo)}`,
    suggested === null || suggested === requestedText ? null : `suggested ${suggested}`,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

function range(from: bigint, to: bigint | null): string {
  if (to === null) return `${formatForPeople(from)} or more`;
  return from === to ? formatForPeople(from) : `${formatForPeople(from)} to ${formatForPeople(to)}`;
}
