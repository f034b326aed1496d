import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import t from 'tap';
import { formatNamed } from '../../src/report/formats.ts';
import type { Report } from '../../src/report/model.ts';
import { hostileReport } from '../fixtures/report/hostile.ts';
import { EMPTY, MIXED, PLAIN } from '../fixtures/report/mixed.ts';
import { findChromium, visit } from './chromium.ts';

// A browser takes seconds to start on a busy machine.
t.setTimeout(300_000);

const chromium = findChromium();
const skip = chromium === null ? 'no Chromium is installed' : false;

/** PLIMSOLL_SCREENSHOTS keeps the pictures there, for a person to look at. */
const kept = process.env.PLIMSOLL_SCREENSHOTS;
const folder = kept ?? mkdtempSync(join(tmpdir(), 'plimsoll-html-'));
if (kept === undefined) t.teardown(() => rmSync(folder, { recursive: true }));

/** Writes the page, with a script of the test's own at its end, and gives its URL. */
function write(name: string, report: Report, script = ''): string {
  const page = formatNamed('html')!.render(report, PLAIN);
  const file = join(folder, `${name}.html`);
  writeFileSync(
    file,
    page.replace('</body>', () => `<script>${script}</script></body>`),
  );
  return pathToFileURL(file).href;
}

/** Runs `script` in the page, where it may set what is read back: attributes of the page's root. */
async function attributesOf(name: string, report: Report, script: string, width = 1280) {
  const url = write(name, report, `const root = document.documentElement; ${script}`);
  const { dom, consoleLines } = await visit(chromium!, {
    url,
    width,
    height: 900,
    dark: false,
    screenshot: null,
  });
  const [, attributes = ''] = /<html([^>]*)>/.exec(dom) ?? [];
  return {
    consoleLines,
    attributes: Object.fromEntries(
      [...attributes.matchAll(/data-([a-z]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    ),
  };
}

const SCREENS = [
  { name: 'wide-light', width: 1280, height: 2200, dark: false },
  { name: 'wide-dark', width: 1280, height: 2200, dark: true },
  { name: 'narrow-light', width: 390, height: 3900, dark: false },
  { name: 'narrow-dark', width: 390, height: 3900, dark: true },
];
for (const { name, ...screen } of SCREENS)
  t.test(`is painted without a complaint: ${name}`, { skip }, async (t) => {
    const screenshot = join(folder, `${name}.png`);
    const { consoleLines } = await visit(chromium!, { ...screen, url: write(name, MIXED), screenshot });
    t.same(consoleLines, []);
    const png = readFileSync(screenshot);
    t.same([png.readUInt32BE(16), png.readUInt32BE(20)], [screen.width, screen.height]);
    t.ok(png.length > 50_000, 'there is something on it');
  });

t.test('a complaint would be noticed', { skip }, async (t) => {
  const { consoleLines } = await attributesOf(
    'complaint',
    EMPTY,
    `new Image().src = 'http://example.com/x.png';`,
  );
  t.match(consoleLines.join(), /Content Security Policy/);
});

// Chromium lays no page out narrower than 500 pixels but for a picture.
for (const width of [1280, 500])
  t.test(`nothing sticks out at ${width} pixels, with whatever texts`, { skip }, async (t) => {
    const texts = fc.sample(hostileReport, { numRuns: 20, seed: 1 }).flatMap(({ results }) => results);
    for (const [name, report] of Object.entries({ mixed: MIXED, hostile: { ...MIXED, results: texts } })) {
      const { attributes, consoleLines } = await attributesOf(
        `overflow-${name}-${width}`,
        report,
        'root.dataset.page = root.scrollWidth; root.dataset.window = innerWidth;',
        width,
      );
      t.same(attributes, { page: String(width), window: String(width) }, name);
      t.same(consoleLines, []);
    }
  });

const FILTERS = [
  { name: 'at first', script: '', rows: 11 },
  { name: 'a word', script: `type('MULTUS');`, rows: 1 },
  { name: 'two words in any order', script: `type('oversized debian');`, rows: 1 },
  { name: 'the file', script: `type('vms/');`, rows: 3 },
  { name: 'nothing fits', script: `type('no such thing');`, rows: 0 },
  { name: 'without failures', script: `toggle('fail');`, rows: 8 },
  { name: 'without failures, and back', script: `toggle('fail'); toggle('fail');`, rows: 11 },
  { name: 'a kind and a word', script: `toggle('skip'); type('shop');`, rows: 0 },
];
t.test('the table shows what is asked for', { skip }, async (t) => {
  const { attributes, consoleLines } = await attributesOf(
    'filter',
    MIXED,
    `const type = (text) => { filter.value = text; filter.dispatchEvent(new Event('input', { bubbles: true })); };
     const toggle = (kind) => document.querySelector('input[value=' + kind + ']').click();
     const look = () => {
       const visible = [...document.querySelectorAll('tbody tr')].filter((row) => row.offsetHeight > 0).length;
       const told = shown.textContent;
       for (const box of document.querySelectorAll('input[type=checkbox]')) if (!box.checked) box.click();
       type('');
       return visible + ' seen, ' + told;
     };
     root.dataset.seen = [${FILTERS.map(({ script }) => `(() => { ${script}; return look(); })()`).join()}].join('|');`,
  );
  const seen = attributes.seen?.split('|') ?? [];
  for (const [index, { name, rows }] of FILTERS.entries())
    t.equal(seen[index], `${rows} seen, ${rows} of 11 shown`, name);
  t.same(consoleLines, []);
});

t.test('every control has a name, and every drawing a description', { skip }, async (t) => {
  const { attributes } = await attributesOf(
    'names',
    MIXED,
    `root.dataset.inputs = [...document.querySelectorAll('input')].filter((input) => input.labels.length !== 1).length;
     root.dataset.images = [...document.querySelectorAll('[role=img]')].filter((image) => !image.ariaLabel).length;
     root.dataset.drawn = document.querySelectorAll('[role=img]').length;`,
  );
  t.same(attributes, { inputs: '0', images: '0', drawn: '7' });
});

t.test('text stands out from what lies under it, in light and dark', { skip }, async (t) => {
  const script = `
    const channels = (color) => color.match(/[\\d.]+/g).map(Number);
    const luminance = (color) => channels(color).slice(0, 3)
      .map((value) => value / 255).map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
      .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
    const under = (element) => {
      const color = getComputedStyle(element).backgroundColor;
      return channels(color)[3] === 0 && element.parentElement ? under(element.parentElement) : color;
    };
    const contrast = (element) => {
      const pair = [luminance(getComputedStyle(element).color), luminance(under(element))].sort((a, b) => b - a);
      return (pair[0] + 0.05) / (pair[1] + 0.05);
    };
    const texts = [...document.querySelectorAll('h1, h2, p, li, b, span, td, th, code, label, output')];
    document.documentElement.dataset.least = Math.min(...texts.map(contrast)).toFixed(2);`;
  for (const dark of [false, true]) {
    const url = write(`contrast-${dark}`, MIXED, script);
    const { dom } = await visit(chromium!, { url, width: 1280, height: 900, dark, screenshot: null });
    const [, least] = /data-least="([\d.]+)"/.exec(dom) ?? [];
    t.ok(Number(least) >= 4.5, `${dark ? 'dark' : 'light'}: ${least}`);
  }
});
