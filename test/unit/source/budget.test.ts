import t from 'tap';
import { Spending } from '../../../src/source/budget.ts';

const budget = { maxRequests: 2, maxBytes: 100, maxRedirects: 0 };

t.test('requests end at the last that the budget has', (t) => {
  const spending = new Spending(budget);
  spending.request();
  spending.request();
  t.throws(() => spending.request(), { code: 'over-budget' });
  t.same(spending.cost, { bytesRead: 0, requests: 2 });
  t.end();
});

t.test('bytes are afforded before, and counted after', (t) => {
  const spending = new Spending(budget);
  spending.afford(100);
  t.throws(() => spending.afford(101), { code: 'over-budget' });
  spending.received(60);
  t.equal(spending.bytesLeft, 40);
  spending.afford(40);
  t.throws(() => spending.afford(41), { code: 'over-budget' });
  spending.received(60);
  t.equal(spending.bytesLeft, 0, 'never less than nothing');
  t.throws(() => spending.afford(1), { code: 'over-budget' });
  t.same(spending.cost, { bytesRead: 120, requests: 0 });
  t.end();
});
