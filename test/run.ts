// Runs tap over the suites named in package.json and ends with one line that says how many assertions passed and failed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Counts assertions in TAP 14; a line that closes a subtest is not one. */
function countAssertions(tap: string): { passed: number; failed: number } {
  const counts = { passed: 0, failed: 0 };
  let inDiagnostics = false;
  let lastIndent = 0;
  for (const line of tap.split('\n')) {
    const text = line.trim();
    if (text === '---') inDiagnostics = true;
    if (text === '...') inDiagnostics = false;
    if (inDiagnostics || text === '' || text === '...') continue;
    const indent = line.length - line.trimStart().length;
    const outcome = /^(not )?ok \d+/.exec(text);
    if (outcome && lastIndent <= indent) counts[outcome[1] ? 'failed' : 'passed'] += 1;
    lastIndent = indent;
  }
  return counts;
}

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-tap-'));
const output = join(folder, 'run.tap');
const reporter = process.stdout.isTTY ? 'default' : 'silent';
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/.bin/tap',
    'run',
    '--disable-coverage',
    `--reporter=${reporter}`,
    `--output-file=${output}`,
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);
const tap = readFileSync(output, 'utf8');
rmSync(folder, { recursive: true });
if (status !== 0 && !process.stdout.isTTY)
  console.log(
    tap
      .split('\n')
      .filter((line) => !/^\s+ok /.test(line))
      .join('\n'),
  );
const { passed, failed } = countAssertions(tap);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = status ?? 1;
