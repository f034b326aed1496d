import t from 'tap';
import type { Terminal } from '../../../../src/cli/command.ts';
import { showProgress } from '../../../../src/cli/report/progress.ts';

function terminalOf(isTTY: boolean | undefined): { readonly terminal: Terminal; readonly written: string[] } {
  const written: string[] = [];
  const stderr = { isTTY, write: (text: string) => written.push(text) };
  return { terminal: { stderr } as unknown as Terminal, written };
}

t.test('on a terminal one line says how far it is, not more often than it can be read', (t) => {
  const { terminal, written } = terminalOf(true);
  let now = 0;
  const progress = showProgress(terminal, 3, () => now);
  progress.judged(1);
  progress.looked();
  progress.judged(2);
  now += 100;
  progress.judged(3);
  progress.end();
  t.same(written, [
    '\r\u001b[K1 of 3 objects judged, 0 images looked at',
    '\r\u001b[K3 of 3 objects judged, 1 images looked at',
    '\r\u001b[K',
  ]);
  t.end();
});

t.test('elsewhere nothing is shown', (t) => {
  for (const isTTY of [false, undefined]) {
    const { terminal, written } = terminalOf(isTTY);
    const progress = showProgress(terminal, 3, () => 0);
    progress.judged(1);
    progress.looked();
    progress.end();
    t.same(written, []);
  }
  t.end();
});
