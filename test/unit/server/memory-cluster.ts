import type { KubeApi } from '../../../src/kube/api.ts';
import { KubeError } from '../../../src/kube/failures.ts';
import { type JsonObject, listAt, textAt } from '../../../src/object/object.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
export const VALIDATING = `${GROUP}/validatingwebhookconfigurations/plimsoll`;
export const MUTATING = `${GROUP}/mutatingwebhookconfigurations/plimsoll`;
export const SECRET = '/api/v1/namespaces/ours/secrets/plimsoll-tls';

/** What befalls one call: it is lost on the way, or done and its answer is lost. */
export type Fate = 'done' | 'lost' | 'unheard';

/** The objects that certificates are about, with resourceVersions as the API server has them. */
export class MemoryCluster {
  readonly objects = new Map<string, JsonObject>();
  /** Writes until now, as `VERB path`. */
  readonly writes: string[] = [];
  /** caBundles of all webhooks after each change. */
  readonly versions: string[][] = [];
  #version = 0;

  constructor() {
    this.put(VALIDATING, { webhooks: [webhook('volumes'), webhook('floors')] });
    this.put(MUTATING, { webhooks: [webhook('floors')] });
  }

  /** As another client would. */
  put(path: string, object: JsonObject): JsonObject {
    this.#version += 1;
    const metadata = { name: 'plimsoll', resourceVersion: String(this.#version) };
    const stored = { ...object, metadata };
    this.objects.set(path, stored);
    if (path !== SECRET) this.versions.push(this.bundles());
    return stored;
  }

  /** Gives every webhook of a configuration this caBundle, as a revert would. */
  revert(path: string, pem: string): void {
    const caBundle = Buffer.from(pem).toString('base64');
    this.put(path, {
      webhooks: listAt(this.objects.get(path), 'webhooks').map((one) => trusting(one, caBundle)),
    });
  }

  /** caBundle of each webhook; PEM. */
  bundles(): string[] {
    return [VALIDATING, MUTATING].flatMap((path) =>
      listAt(this.objects.get(path), 'webhooks').map((one) =>
        Buffer.from(textAt(one, 'clientConfig', 'caBundle') ?? '', 'base64').toString('utf8'),
      ),
    );
  }

  /** The cluster as one client sees it; `fate` is asked at each call, and may throw for itself. */
  api(fate: (verb: string, path: string) => Promise<Fate> = async () => 'done'): KubeApi {
    const call = async (verb: string, path: string, act: () => JsonObject) => {
      const what = await fate(verb, path);
      if (what === 'lost') throw new KubeError('unreachable', { during: `${verb} ${path}` });
      const answer = act();
      if (verb !== 'GET') this.writes.push(`${verb} ${path}`);
      if (what === 'unheard') throw new KubeError('timed-out', { during: `${verb} ${path}` });
      return answer;
    };
    const stored = (path: string, resourceVersion?: string): JsonObject => {
      const object = this.objects.get(path);
      if (object === undefined) throw new KubeError('not-found', { status: 404 });
      if (resourceVersion !== undefined && textAt(object, 'metadata', 'resourceVersion') !== resourceVersion)
        throw new KubeError('conflict', { status: 409 });
      return object;
    };
    const versionIn = (object: JsonObject) => textAt(object, 'metadata', 'resourceVersion') ?? '';
    const unasked = () => Promise.reject(new Error('nobody should ask this'));
    return {
      get: (path) => call('GET', path, () => stored(path)),
      update: (path, object) =>
        call('PUT', path, () => {
          stored(path, versionIn(object));
          return this.put(path, object);
        }),
      apply: (path, object) =>
        call('APPLY', path, () => this.put(path, { ...this.objects.get(path), ...object })),
      merge: (path, object) =>
        call('MERGE', path, () => {
          const webhooks = listAt(stored(path, versionIn(object)), 'webhooks').map((one) => {
            const patch = listAt(object, 'webhooks').find(
              (other) => textAt(other, 'name') === textAt(one, 'name'),
            );
            return trusting(one, textAt(patch, 'clientConfig', 'caBundle'));
          });
          return this.put(path, { webhooks });
        }),
      list: unasked,
      create: unasked,
      delete: unasked,
    };
  }
}

const webhook = (name: string): JsonObject => ({ name, clientConfig: { service: { name: 'plimsoll' } } });

function trusting(one: unknown, caBundle: string | undefined): JsonObject {
  const { clientConfig, ...rest } = one as { readonly clientConfig: JsonObject };
  return { ...rest, clientConfig: { ...clientConfig, caBundle } };
}
