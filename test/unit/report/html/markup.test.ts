import t from 'tap';
import { html, NOTHING } from '../../../../src/report/html/markup.ts';

const ROWS = [
  { name: 'text', markup: html`<b>${'<i>&"\''}</b>`, expected: '<b>&lt;i&gt;&amp;&quot;&#39;</b>' },
  { name: 'markup within', markup: html`<b>${html`<i>${'&'}</i>`}</b>`, expected: '<b><i>&amp;</i></b>' },
  { name: 'a list', markup: html`<b>${['<', html`<i>`, 2]}</b>`, expected: '<b>&lt;<i>2</b>' },
  { name: 'a number', markup: html`${0}`, expected: '0' },
  { name: 'nothing', markup: html`a${NOTHING}b`, expected: 'ab' },
  { name: 'backslashes and dollars', markup: html`\n${'\\n $& $1'}`, expected: '\n\\n $&amp; $1' },
];
for (const { name, markup, expected } of ROWS)
  t.test(name, (t) => {
    t.equal(markup.markup, expected);
    t.end();
  });
