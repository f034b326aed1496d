import t from 'tap';
import { budgetMs } from '../../../src/admission/timeout.ts';

const ROWS: readonly { name: string; timeout: unknown; budget: number }[] = [
  { name: 'whole seconds', timeout: '8s', budget: 7700 },
  { name: 'one second', timeout: '1s', budget: 700 },
  { name: 'fractional seconds', timeout: '1.5s', budget: 1200 },
  { name: 'Go’s nine places', timeout: '1.234567891s', budget: 1234.567891 - 300 },
  { name: 'milliseconds', timeout: '500ms', budget: 200 },
  { name: 'as little as makes sense', timeout: '351ms', budget: 51 },
  { name: 'less than makes sense', timeout: '350ms', budget: 50 },
  { name: 'nothing', timeout: '0s', budget: 50 },
  { name: 'a bare number is of seconds', timeout: '5', budget: 10_000 - 300 },
  { name: 'as much as the API server waits', timeout: '30s', budget: 29_700 },
  { name: 'more than the API server waits', timeout: '31s', budget: 29_700 },
  { name: 'a minute', timeout: '1m', budget: 29_700 },
  { name: 'absent', timeout: undefined, budget: 9700 },
  { name: 'empty', timeout: '', budget: 9700 },
  { name: 'negative', timeout: '-1s', budget: 9700 },
  { name: 'infinite', timeout: 'Infinitys', budget: 9700 },
  { name: 'of very many digits', timeout: `${'9'.repeat(400)}s`, budget: 9700 },
  { name: 'two of them', timeout: ['1s', '2s'], budget: 9700 },
  { name: 'an object', timeout: { toString: '1s' }, budget: 9700 },
];

for (const { name, timeout, budget } of ROWS)
  t.test(name, (t) => {
    t.ok(Math.abs(budgetMs(timeout) - budget) < 1e-6, `${budgetMs(timeout)} is ${budget}`);
    t.end();
  });
