import { at, isObject, listAt, textAt } from '../../../src/object/object.ts';
import type { Kubectl } from '../harness/kubectl.ts';
import { type WebhookName, webhookConfigurations } from './objects.ts';

export const KINDS = ['validatingwebhookconfiguration', 'mutatingwebhookconfiguration'] as const;

/** Applies our configurations as Helm 4 and GitOps do. */
export function applyConfigurations(
  kubectl: Kubectl,
  port: number,
  ...names: WebhookName[]
): Promise<string> {
  const args = ['apply', '--server-side', '--field-manager=helm', '-f', '-'];
  return kubectl.must(args, webhookConfigurations(port, names));
}

export function readConfigurations(kubectl: Kubectl): Promise<unknown[]> {
  return Promise.all(KINDS.map((kind) => kubectl.getJson(kind, 'plimsoll', '--show-managed-fields')));
}

/** caBundle of each webhook, base64; empty where there is none. */
export async function bundlesOf(kubectl: Kubectl): Promise<string[]> {
  return (await readConfigurations(kubectl)).flatMap((configuration) =>
    listAt(configuration, 'webhooks').map((webhook) => textAt(webhook, 'clientConfig', 'caBundle') ?? ''),
  );
}

/** All but caBundle and what the API server counts. */
export function withoutBundle(configuration: unknown): object | null {
  if (!isObject(configuration)) return null;
  const { metadata, ...rest } = configuration;
  const webhooks = listAt(rest, 'webhooks').map((webhook) => {
    const { caBundle: _, ...clientConfig } = at(webhook, 'clientConfig') as { caBundle?: string };
    return { ...(webhook as object), clientConfig };
  });
  return { ...rest, labels: at(metadata, 'labels'), annotations: at(metadata, 'annotations'), webhooks };
}

/** Paths of the fields that we own, of each configuration. */
export function ownedFields(configuration: unknown): string[] {
  const walk = (fields: unknown, path: string): string[] => {
    const steps = isObject(fields) ? Object.entries(fields) : [];
    return steps.length === 0 ? [path] : steps.flatMap(([step, below]) => walk(below, `${path} ${step}`));
  };
  return listAt(configuration, 'metadata', 'managedFields')
    .filter((fields) => at(fields, 'manager') === 'plimsoll')
    .flatMap((fields) => walk(at(fields, 'fieldsV1'), '').map((path) => path.trim()));
}
