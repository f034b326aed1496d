import { readFile } from 'node:fs/promises';
import { ConfigurationError, DEFAULT_CONFIGURATION, parseConfiguration } from './parse.ts';
import { type Settings, settingsOf } from './settings.ts';

/** The settings of a file, or of the defaults where no file is named. Throws ConfigurationError, also for a missing file. */
export async function loadSettings(file: string | undefined): Promise<Settings> {
  if (file === undefined) return settingsOf(DEFAULT_CONFIGURATION, process.env);
  return settingsOf(parseConfiguration(await readConfiguration(file)), process.env);
}

async function readConfiguration(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError([`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
}

/** The settings in force, and what is wrong with the file that should have replaced them; null: nothing. */
export interface LiveSettings {
  readonly current: () => Settings;
  readonly problem: () => string | null;
  readonly stop: () => void;
}

/**
 * Follows a configuration file by its content: Kubernetes swaps mounted ConfigMaps by symbolic link, which file watchers
 * miss. A broken file leaves the last good settings in force. `onChange` is told of both, after they are.
 */
export async function followSettings(
  file: string | undefined,
  intervalMs: number,
  onChange: (settings: Settings, problem: string | null) => void,
): Promise<LiveSettings> {
  if (file === undefined) {
    const byDefault = settingsOf(DEFAULT_CONFIGURATION, process.env);
    return { current: () => byDefault, problem: () => null, stop: () => {} };
  }
  /** Null: it could not be read when it was last looked at. */
  let seen: string | null = await readConfiguration(file);
  let settings = settingsOf(parseConfiguration(seen), process.env);
  let problem: string | null = null;
  let isReading = false;
  const look = async () => {
    const before = { text: seen, problem };
    try {
      seen = null;
      seen = await readConfiguration(file);
      if (seen === before.text) return;
      settings = settingsOf(parseConfiguration(seen), process.env);
      problem = null;
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problem = error.message;
      if (problem === before.problem) return;
    }
    onChange(settings, problem);
  };
  const timer = setInterval(() => {
    if (isReading) return;
    isReading = true;
    void look().finally(() => {
      isReading = false;
    });
  }, intervalMs);
  timer.unref();
  return { current: () => settings, problem: () => problem, stop: () => clearInterval(timer) };
}
