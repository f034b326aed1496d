import t from 'tap';
import { ReconcilePace } from '../../../src/kube/reconcile-pace.ts';

const HOUR = 3_600_000;

t.test('an object that was written again rests until another step, and for an hour', (t) => {
  const pace = new ReconcilePace();
  t.equal(pace.mayTry('a', '500', 0), true);
  pace.tried('a', 0);
  pace.written('a', '500', 0);
  t.equal(pace.mayTry('a', '500', 10 * HOUR), false, 'the same step, whenever');
  t.equal(pace.mayTry('a', '600', HOUR - 1), false, 'the next step, too soon');
  t.equal(pace.mayTry('a', '600', HOUR), true);
  t.equal(pace.mayTry('b', '500', 1), true, 'another object');
  t.end();
});

t.test('an attempt in vain is repeated after an hour', (t) => {
  const pace = new ReconcilePace();
  pace.tried('a', 0);
  t.equal(pace.mayTry('a', '500', HOUR - 1), false);
  t.equal(pace.mayTry('a', '500', HOUR), true);
  pace.written('a', '500', HOUR);
  pace.tried('a', 2 * HOUR);
  t.equal(pace.mayTry('a', '500', 9 * HOUR), false, 'what was written stays known over an attempt in vain');
  t.end();
});

t.test('objects that are gone are forgotten, but not within their rest', (t) => {
  const pace = new ReconcilePace();
  pace.written('here', '500', 0);
  pace.written('gone', '500', 0);
  pace.keepOnly(new Set(['here']), HOUR - 1);
  t.equal(pace.mayTry('gone', '500', HOUR), false);
  pace.keepOnly(new Set(['here']), HOUR);
  t.equal(pace.mayTry('gone', '500', HOUR), true);
  t.equal(pace.mayTry('here', '500', HOUR), false);
  t.end();
});
