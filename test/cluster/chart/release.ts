import { at, listAt } from '../../../src/object/object.ts';
import type { Cluster } from '../harness/cluster.ts';
import type { Helm } from './helm.ts';

export const NAMESPACE = 'plimsoll';

/** Runs a helm command on the one release of these tests. */
export const release = (helm: Helm, command: string, ...args: string[]) =>
  helm.must([command, 'plimsoll', ...args, '-n', NAMESPACE]);

/** The webhook of that name, as it is stored. */
export async function storedWebhook(
  { kubectl }: Cluster,
  kind: 'validating' | 'mutating',
  name: string,
): Promise<unknown> {
  const configuration = await kubectl.getJson(`${kind}webhookconfiguration`, 'plimsoll');
  return listAt(configuration, 'webhooks').find((webhook) => at(webhook, 'name') === name);
}
