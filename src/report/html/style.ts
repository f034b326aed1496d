/** Light and dark; both meet a contrast of 4.5 to 1 for text (WCAG 2.2 AA). */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f8; --card: #fff; --ink: #16212c; --faint: #566270; --line: #d8dee4;
  --sea: #1c6ea4; --sea-soft: #b9d6ea; --band: #2c8a5b; --band-soft: #2c8a5b29;
  --fail: #b3261e; --error: #7a3fb8; --warn: #8a5a00; --pass: #1b7046; --skip: #5a6673;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e151b; --card: #172029; --ink: #e6ebf0; --faint: #9aa7b4; --line: #2c3945;
    --sea: #5fb2e6; --sea-soft: #28516d; --band: #4fbf87; --band-soft: #4fbf8729;
    --fail: #ff8a80; --error: #c9a2f5; --warn: #f0b849; --pass: #6fd3a0; --skip: #9aa7b4;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main, header { max-width: 75rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.75rem; }
main { padding-bottom: 3rem; }
h1 { display: flex; align-items: center; gap: .6rem; margin: 0; font-size: 1.6rem; line-height: 1.2; }
h1 svg { width: 2rem; height: 2rem; flex: none; fill: none; stroke: var(--sea); stroke-width: 2.5; }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.15rem; }
p { margin: .35rem 0; }
.faint, .note { color: var(--faint); }
.counts { display: grid; grid-template-columns: repeat(5, 1fr); gap: .75rem; margin: 1.25rem 0 0; padding: 0; list-style: none; }
.counts li { padding: .7rem 1rem; background: var(--card); border: 1px solid var(--line); border-top: 3px solid var(--of); border-radius: .5rem; color: var(--faint); }
.counts b { display: block; color: var(--of); font-size: 1.7rem; line-height: 1.15; font-variant-numeric: tabular-nums; }
.counts li.none { border-top-color: var(--line); }
.counts li.none b { color: var(--faint); }
.fail { --of: var(--fail); } .error { --of: var(--error); } .warn { --of: var(--warn); }
.pass { --of: var(--pass); } .skip { --of: var(--skip); }
.badge { display: inline-block; min-width: 3.4em; padding: 0 .5em; border: 1px solid var(--of); border-radius: 1em; color: var(--of); font-size: .8rem; font-weight: 600; line-height: 1.5; text-align: center; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; color: var(--faint); font-size: .85rem; }
.legend span { display: inline-flex; align-items: center; gap: .45rem; }
.key { width: 1.3rem; height: .75rem; border-radius: 2px; }
.key.data { background: var(--sea); } .key.disk { background: var(--sea-soft); }
.key.band { background: var(--band-soft); border: solid var(--band); border-width: 0 2px; }
.key.request { width: 4px; height: 1rem; background: var(--ink); }
.key.floor { height: 0; border-top: 3px solid var(--sea); } .key.density { width: 0; height: 1rem; border-left: 2px dashed var(--faint); }
.key.limit { height: 0; border-top: 2px solid var(--ink); }
figure { margin: 0; padding: .9rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; min-width: 0; overflow: hidden; }
figcaption, figure p, figure li { max-height: 9em; overflow: auto; overflow-wrap: anywhere; }
figure p, figure li { font-size: .85rem; }
.volumes { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); gap: .75rem; }
.bar { position: relative; height: 3.1rem; margin: .3rem 0 .45rem; }
.bar i { position: absolute; font-style: normal; }
.bar .label { top: 0; max-width: 9rem; overflow: hidden; color: var(--of); font-size: .8rem; font-weight: 600; line-height: 1.2; text-overflow: ellipsis; white-space: nowrap; }
.bar .track { top: 1.3rem; right: 0; bottom: 0; left: 0; background: var(--page); border-radius: 4px; }
.bar .band { top: 1.3rem; bottom: 0; background: var(--band-soft); border: solid var(--band); border-width: 0 2px; }
.bar .band.open { border-right-width: 0; background: linear-gradient(to right, var(--band-soft), transparent); }
.bar .disk, .bar .data { left: 0; top: 1.75rem; bottom: .45rem; min-width: 2px; border-radius: 0 3px 3px 0; }
.bar .disk { background: var(--sea-soft); } .bar .data { background: var(--sea); }
.bar .request { top: 1.1rem; bottom: -.15rem; width: 4px; margin-left: -2px; background: var(--of); border-radius: 2px; }
.floors { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: .75rem; }
.floor svg { display: block; width: 100%; max-width: 34rem; margin: .4rem auto 0; }
svg text { fill: var(--faint); font: 11px system-ui, sans-serif; }
svg text.density { fill: var(--ink); font-weight: 600; }
svg .grid { stroke: var(--line); }
svg .below { fill: var(--sea); opacity: .12; } svg .curve { fill: none; stroke: var(--sea); stroke-width: 2.5; stroke-linejoin: round; }
svg line.density { stroke: var(--faint); stroke-width: 1.5; stroke-dasharray: 4 4; }
svg line.limit { stroke: var(--of); stroke-width: 2; } svg circle.limit { fill: var(--of); }
svg .here { fill: var(--card); stroke: var(--sea); stroke-width: 2.5; }
.floor ul { margin: .4rem 0 0; padding: 0; list-style: none; } .floor li + li { margin-top: .4rem; }
form { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem 1.25rem; margin: .5rem 0 .75rem; }
form[hidden], tr[hidden] { display: none !important; }
form label { white-space: nowrap; }
input[type=search] { width: 16rem; max-width: 100%; margin-left: .4rem; padding: .35rem .6rem; border: 1px solid var(--faint); border-radius: .4rem; background: var(--card); color: inherit; font: inherit; }
input[type=checkbox] { accent-color: var(--of); }
:focus-visible { outline: 2px solid var(--sea); outline-offset: 2px; }
fieldset { display: flex; flex-wrap: wrap; gap: .3rem .9rem; margin: 0; padding: 0; border: 0; }
fieldset legend { float: left; margin-right: .9rem; padding: 0; }
.toggle { color: var(--of); }
output { color: var(--faint); font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); }
th, td { padding: .5rem .75rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--faint); font-size: .85rem; font-weight: 600; }
th:first-child { width: 5.5rem; } th:nth-child(2) { width: 27%; } th:nth-child(3) { width: 9.5rem; }
table { table-layout: fixed; }
td .faint { font-size: .85rem; }
code { font: .85rem ui-monospace, monospace; }
@media (max-width: 45rem) {
  .counts { grid-template-columns: repeat(auto-fit, minmax(3.6rem, 1fr)); gap: .5rem; }
  .counts li { padding: .4rem .6rem; }
  svg text { font-size: 14px; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody { display: block; }
  tr { display: grid; grid-template-columns: auto 1fr; gap: .15rem .6rem; padding: .7rem .8rem; border-bottom: 1px solid var(--line); }
  td { padding: 0; border: 0; }
  td:nth-child(2) { order: 1; grid-column: 1 / -1; } td:nth-child(4) { order: 2; grid-column: 1 / -1; }
  form > label { flex-basis: 100%; white-space: normal; } input[type=search] { width: 100%; margin: .2rem 0 0; }
}
@media print { form { display: none; } figure, tr { break-inside: avoid; } }
`;
