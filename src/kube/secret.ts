import { type JsonObject, objectAt } from '../object/object.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { kubeErrorCode } from './failures.ts';
import { patiently } from './paging.ts';
import { secretPath } from './path.ts';

const FIELD_MANAGER = 'plimsoll';

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** A Secret's texts by key, and the object that they came from. */
export interface StoredSecret {
  readonly texts: Readonly<Record<string, string>>;
  readonly object: JsonObject;
}

/** Null where there is none. Throws KubeError. */
export async function readSecret(
  api: KubeApi,
  { namespace, name }: SecretName,
  pass: Pass,
): Promise<StoredSecret | null> {
  try {
    const object = await patiently((call) => api.get(secretPath(namespace, name), call), pass);
    const texts = Object.entries(objectAt(object, 'data') ?? {}).map(([key, value]) => [
      key,
      typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '',
    ]);
    return { texts: Object.fromEntries(texts), object };
  } catch (error) {
    if (kubeErrorCode(error) === 'not-found') return null;
    throw error;
  }
}

/**
 * Makes the Secret, without content; whoever fills it names the resourceVersion, so of many one wins. By server-side
 * apply, because RBAC can then tie `create` to the name, as it cannot for a POST. Throws KubeError.
 */
export async function makeSecret(api: KubeApi, { namespace, name }: SecretName, pass: Pass): Promise<void> {
  const labels = { 'app.kubernetes.io/managed-by': 'plimsoll' };
  // Not kubernetes.io/tls: that type may not be without content.
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels }, type: 'Opaque' };
  await patiently((call) => api.apply(secretPath(namespace, name), secret, FIELD_MANAGER, call), pass);
}

/** Puts the texts in place of what was stored. Throws KubeError; `conflict` where someone else wrote since. */
export async function writeSecret(
  api: KubeApi,
  { namespace, name }: SecretName,
  stored: StoredSecret,
  texts: Readonly<Record<string, string>>,
  pass: Pass,
): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  const secret = { ...stored.object, data };
  await patiently((call) => api.update(secretPath(namespace, name), secret, call), pass);
}
