export interface Bar {
  readonly density: number;
  readonly delegate: string;
  readonly connectionLimit: number | null;
  /** Bytes. */
  readonly limit: number;
  readonly workingSet: number;
  readonly failures: number;
}

const ROW = 26;
const LEFT = 250;
const WIDTH = 620;
const TOP = 34;

/** An SVG: one bar a row, the limit as a line over it; red where calls failed. Dark and light backgrounds both do. */
export function drawBursts(bars: readonly Bar[]): string {
  const most = Math.max(...bars.flatMap(({ limit, workingSet }) => [limit, workingSet]));
  const x = (size: number) => Math.round((size / most) * WIDTH);
  const rows = bars.map((bar, index) => {
    const y = TOP + index * ROW;
    const connection = bar.connectionLimit === null ? '' : `, connectionLimit ${bar.connectionLimit}`;
    const colour = bar.failures === 0 ? '#2e8b57' : '#c0392b';
    const said = `${mib(bar.workingSet)} of ${mib(bar.limit)} MiB${bar.failures === 0 ? '' : `, ${bar.failures} failed`}`;
    const end = LEFT + Math.max(x(bar.workingSet), x(bar.limit)) + 8;
    return [
      `<text x="${LEFT - 8}" y="${y + 15}" text-anchor="end">${bar.density} pods, ${bar.delegate}${connection}</text>`,
      `<rect x="${LEFT}" y="${y + 4}" width="${x(bar.workingSet)}" height="${ROW - 10}" fill="${colour}"/>`,
      `<path d="M${LEFT + x(bar.limit)} ${y + 1}v${ROW - 4}" stroke="#1f6feb" stroke-width="3"/>`,
      `<text x="${end}" y="${y + 15}">${said}</text>`,
    ].join('\n');
  });
  const height = TOP + bars.length * ROW + 8;
  const width = LEFT + WIDTH + 220;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" fill="#808080">
<title>Memory of the Multus daemon when all pods of a node start at once</title>
<text x="${LEFT}" y="20">peak working set (bar) and limit (line); red: calls failed</text>
${rows.join('\n')}
</svg>
`;
}

function mib(size: number): number {
  return Math.round(size / 1024 / 1024);
}
