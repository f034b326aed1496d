import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser's command; null where none is installed. */
export function findChromium(): string | null {
  return NAMES.find((name) => spawnSync(name, ['--version']).status === 0) ?? null;
}

export interface Visit {
  readonly url: string;
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly dark: boolean;
  /** PNG to write; null: print the page's elements after its script has run. */
  readonly screenshot: string | null;
}

export interface Visited {
  readonly dom: string;
  /** What the page's console was told: errors of the script, and what the security policy refused. */
  readonly consoleLines: readonly string[];
}

/** Opens a page in a headless browser that reaches no host. Rejects where the browser fails. */
export async function visit(
  chromium: string,
  { url, width, height, dark, screenshot }: Visit,
): Promise<Visited> {
  const profile = mkdtempSync(join(tmpdir(), 'plimsoll-chromium-'));
  const child = spawn(
    chromium,
    [
      '--headless',
      // The page is ours; a container's root user has no sandbox to give.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--hide-scrollbars',
      '--host-resolver-rules=MAP * ~NOTFOUND',
      '--enable-logging=stderr',
      `--user-data-dir=${profile}`,
      `--blink-settings=preferredColorScheme=${dark ? 0 : 1}`,
      `--window-size=${width},${height}`,
      screenshot === null ? '--dump-dom' : `--screenshot=${screenshot}`,
      url,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 },
  );
  const text = (stream: NodeJS.ReadableStream) =>
    new Promise<string>((resolve) => {
      let all = '';
      stream.setEncoding('utf8');
      stream.on('data', (part) => {
        all += part;
      });
      stream.on('end', () => resolve(all));
    });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  const [dom, log, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  if (code !== 0) throw new Error(`${chromium} ended with ${code}: ${log}`);
  return { dom, consoleLines: log.split('\n').filter((line) => line.includes(':CONSOLE')) };
}
