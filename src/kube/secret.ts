import { at, type JsonObject, textAt } from '../object/object.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { kubeErrorCode } from './failures.ts';
import { patiently } from './paging.ts';
import { secretPath } from './path.ts';

/** A Secret's texts by key, and the object that they came from. */
export interface StoredSecret {
  readonly texts: Readonly<Record<string, string>>;
  readonly object: JsonObject;
}

/** Null where there is none. Throws KubeError. */
export async function readSecret(
  api: KubeApi,
  namespace: string,
  name: string,
  pass: Pass,
): Promise<StoredSecret | null> {
  try {
    const object = await patiently((call) => api.get(secretPath(namespace, name), call), pass);
    const data = (at(object, 'data') ?? {}) as JsonObject;
    const texts = Object.entries(data).map(([key, value]) => [
      key,
      typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '',
    ]);
    return { texts: Object.fromEntries(texts), object };
  } catch (error) {
    if (kubeErrorCode(error) === 'not-found') return null;
    throw error;
  }
}

/** Stores the texts in place of `stored`. Throws KubeError; `conflict` where someone else wrote since. */
export async function writeSecret(
  api: KubeApi,
  namespace: string,
  name: string,
  stored: StoredSecret | null,
  texts: Readonly<Record<string, string>>,
  pass: Pass,
): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  const type = textAt(stored?.object, 'type') ?? 'kubernetes.io/tls';
  if (stored !== null) {
    const object = { ...stored.object, data };
    await patiently((call) => api.update(secretPath(namespace, name), object, call), pass);
    return;
  }
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    type,
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'plimsoll' } },
    data,
  };
  await patiently((call) => api.create(secretPath(namespace), object, call), pass);
}
