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

/** Makes the chart's Service lead to this machine, whatever its port: the API server looks at nothing but its type. */
export async function leadServiceHere({ kubectl }: Cluster): Promise<void> {
  const patch = JSON.stringify({ spec: { type: 'ExternalName', externalName: 'localhost' } });
  await kubectl.must(['patch', 'service', 'plimsoll', '-n', NAMESPACE, '--type=merge', '-p', patch]);
}

/** A DataVolume of the default namespace that imports `url`; YAML. */
export const dataVolume = (name: string, url: string, size: string) => `apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: { name: ${name}, namespace: default }
spec:
  source: { http: { url: "${url}" } }
  storage: { resources: { requests: { storage: ${size} } } }
`;
