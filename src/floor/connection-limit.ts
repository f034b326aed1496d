import { at, listAt, textAt } from '../object/object.ts';
import { POD_SPEC } from './workload.ts';

/** The key of the daemon's configuration in its ConfigMap, in every distribution. */
const CONFIG_KEY = 'daemon-config.json';

/** What upstream calls the ConfigMap; it may be mounted whole, without a list of keys. */
const CONFIG_NAME = 'multus-daemon-config';

/** The ConfigMap, of the DaemonSet's own namespace, that holds the configuration of a Multus daemon; null where none does. */
export function daemonConfigMapOf(daemonSet: unknown): string | null {
  for (const volume of listAt(daemonSet, ...POD_SPEC, 'volumes')) {
    const name = textAt(volume, 'configMap', 'name');
    const isConfig =
      name === CONFIG_NAME ||
      listAt(volume, 'configMap', 'items').some((item) => at(item, 'key') === CONFIG_KEY);
    if (name !== undefined && isConfig) return name;
  }
  return null;
}

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
