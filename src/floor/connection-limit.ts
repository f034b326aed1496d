import { at, textAt } from '../object/object.ts';

/** The key of the daemon's configuration in its ConfigMap, in every distribution. */
const CONFIG_KEY = 'daemon-config.json';

/** How many calls the daemon of this ConfigMap serves at once; null where it sets no bound. */
export function connectionLimitIn(configMap: unknown): number | null {
  const limit = at(parse(textAt(configMap, 'data', CONFIG_KEY) ?? ''), 'connectionLimit');
  return typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0 ? limit : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
