import { listAt, textAt } from '../object/object.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { kubeErrorCode } from './failures.ts';
import { patiently } from './paging.ts';

const API_VERSION = 'admissionregistration.k8s.io/v1';
const FIELD_MANAGER = 'plimsoll';

const PLURALS = {
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
} as const;

type ConfigurationKind = keyof typeof PLURALS;

export interface LiveWebhook {
  readonly name: string;
  /** PEM; empty where there is none. */
  readonly caBundle: string;
}

/** One of our two webhook configurations as it is live. */
export interface LiveConfiguration {
  readonly kind: ConfigurationKind;
  readonly name: string;
  readonly resourceVersion: string;
  readonly webhooks: readonly LiveWebhook[];
}

const pathOf = (kind: ConfigurationKind, name: string) =>
  `/apis/${API_VERSION}/${PLURALS[kind]}/${encodeURIComponent(name)}`;

/** Those of our two configurations of that name that are there. Throws KubeError. */
export async function readConfigurations(
  api: KubeApi,
  name: string,
  pass: Pass,
): Promise<LiveConfiguration[]> {
  const read = async (kind: ConfigurationKind): Promise<LiveConfiguration[]> => {
    try {
      const configuration = await patiently((call) => api.get(pathOf(kind, name), call), pass);
      const webhooks = listAt(configuration, 'webhooks').map((webhook) => ({
        name: textAt(webhook, 'name') ?? '',
        caBundle: Buffer.from(textAt(webhook, 'clientConfig', 'caBundle') ?? '', 'base64').toString('utf8'),
      }));
      const resourceVersion = textAt(configuration, 'metadata', 'resourceVersion') ?? '';
      return [{ kind, name, resourceVersion, webhooks }];
    } catch (error) {
      if (kubeErrorCode(error) === 'not-found') return [];
      throw error;
    }
  };
  const found = await Promise.all([
    read('ValidatingWebhookConfiguration'),
    read('MutatingWebhookConfiguration'),
  ]);
  return found.flat();
}

/**
 * Makes `bundle` the caBundle of all these webhooks, and changes nothing else. Not by server-side apply: that would make
 * us an owner of each webhook, which then could not be taken out of a configuration by those who apply it (docs/adr/0010).
 * Throws KubeError; `conflict` where a configuration has changed since it was read.
 */
export async function publishBundle(
  api: KubeApi,
  configurations: readonly LiveConfiguration[],
  bundle: string,
  pass: Pass,
): Promise<void> {
  const caBundle = Buffer.from(bundle).toString('base64');
  for (const { kind, name, resourceVersion, webhooks } of configurations) {
    if (webhooks.every((webhook) => webhook.caBundle === bundle)) continue;
    const patch = {
      metadata: { resourceVersion },
      webhooks: webhooks.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } })),
    };
    await patiently((call) => api.merge(pathOf(kind, name), patch, FIELD_MANAGER, call), pass);
  }
}
