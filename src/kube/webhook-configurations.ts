import { listAt, textAt } from '../object/object.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { kubeErrorCode } from './failures.ts';
import { patiently } from './paging.ts';

const API_VERSION = 'admissionregistration.k8s.io/v1';
const FIELD_MANAGER = 'plimsoll';

const KINDS = [
  { kind: 'ValidatingWebhookConfiguration', plural: 'validatingwebhookconfigurations' },
  { kind: 'MutatingWebhookConfiguration', plural: 'mutatingwebhookconfigurations' },
] as const;

/** One webhook of ours as it is live. */
export interface LiveWebhook {
  readonly kind: (typeof KINDS)[number]['kind'];
  readonly name: string;
  /** PEM; empty where there is none. */
  readonly caBundle: string;
}

const pathOf = (plural: string, name: string) => `/apis/${API_VERSION}/${plural}/${encodeURIComponent(name)}`;

/** The webhooks of our two configurations of that name; a configuration that is not there has none. Throws KubeError. */
export async function readWebhooks(api: KubeApi, name: string, pass: Pass): Promise<LiveWebhook[]> {
  const found = await Promise.all(
    KINDS.map(async ({ kind, plural }) => {
      try {
        const configuration = await patiently((call) => api.get(pathOf(plural, name), call), pass);
        return listAt(configuration, 'webhooks').map((webhook) => ({
          kind,
          name: textAt(webhook, 'name') ?? '',
          caBundle: Buffer.from(textAt(webhook, 'clientConfig', 'caBundle') ?? '', 'base64').toString('utf8'),
        }));
      } catch (error) {
        if (kubeErrorCode(error) === 'not-found') return [];
        throw error;
      }
    }),
  );
  return found.flat();
}

/** Makes `bundle` the caBundle of these webhooks, by server-side apply of that one field. Throws KubeError. */
export async function publishBundle(
  api: KubeApi,
  name: string,
  webhooks: readonly LiveWebhook[],
  bundle: string,
  pass: Pass,
): Promise<void> {
  const caBundle = Buffer.from(bundle).toString('base64');
  for (const { kind, plural } of KINDS) {
    const ours = webhooks.filter((webhook) => webhook.kind === kind);
    if (ours.length === 0) continue;
    const patch = {
      apiVersion: API_VERSION,
      kind,
      metadata: { name },
      webhooks: ours.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } })),
    };
    await patiently((call) => api.apply(pathOf(plural, name), patch, FIELD_MANAGER, call), pass);
  }
}
