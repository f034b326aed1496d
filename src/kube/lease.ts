import { type JsonObject, objectAt, textAt } from '../object/object.ts';
import type { KubeApi } from './api.ts';
import type { Clock, Pass } from './clock.ts';
import { kubeErrorCode } from './failures.ts';
import { patiently } from './paging.ts';
import { leasePath } from './path.ts';

export const LEASE_NAME = 'plimsoll-leader';

export interface LeaseOptions {
  readonly api: KubeApi;
  readonly namespace: string;
  /** Of this process, and of no other. */
  readonly identity: string;
  /** How long it counts without being renewed. */
  readonly durationMs: number;
  readonly clock: Clock;
}

/**
 * A coordination.k8s.io/v1 Lease: of all processes one leads. The clocks of others are not trusted: a Lease is
 * abandoned when this process has seen it unchanged for the whole duration.
 */
export class Lease {
  readonly #options: LeaseOptions;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #seen: { readonly version: string; readonly at: number } | null = null;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  isHeld(): boolean {
    return this.#options.clock.now() < this.#heldUntil;
  }

  /** Takes it or keeps it where that is possible, and says whether this process leads. Throws KubeError. */
  async renew(pass: Pass): Promise<boolean> {
    const { api, namespace, identity, durationMs, clock } = this.#options;
    const begun = clock.now();
    const stored = await this.#read(pass);
    const isFree = stored === null || this.#mayTake(stored, begun);
    if (!isFree) return this.#loses();
    const lease = leaseOf(stored, identity, durationMs, begun);
    try {
      if (stored === null) await patiently((call) => api.create(leasePath(namespace), lease, call), pass);
      else await patiently((call) => api.update(leasePath(namespace, LEASE_NAME), lease, call), pass);
    } catch (error) {
      // Someone else was quicker.
      if (kubeErrorCode(error) === 'conflict') return this.#loses();
      throw error;
    }
    this.#heldUntil = begun + durationMs;
    return true;
  }

  /** Gives it up, so that the next one need not wait. Throws KubeError. */
  async release(pass: Pass): Promise<void> {
    const { api, namespace, identity } = this.#options;
    if (!this.isHeld()) return;
    this.#loses();
    const stored = await this.#read(pass);
    if (stored === null || holderOf(stored) !== identity) return;
    const { holderIdentity: _, ...spec } = objectAt(stored, 'spec') ?? {};
    const lease = { ...stored, spec };
    await patiently((call) => api.update(leasePath(namespace, LEASE_NAME), lease, call), pass);
  }

  #loses(): false {
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    return false;
  }

  async #read(pass: Pass): Promise<JsonObject | null> {
    const { api, namespace } = this.#options;
    try {
      return await patiently((call) => api.get(leasePath(namespace, LEASE_NAME), call), pass);
    } catch (error) {
      if (kubeErrorCode(error) === 'not-found') return null;
      throw error;
    }
  }

  #mayTake(lease: JsonObject, now: number): boolean {
    const holder = holderOf(lease);
    if (holder === '' || holder === this.#options.identity) return true;
    const version = textAt(lease, 'metadata', 'resourceVersion') ?? '';
    if (this.#seen?.version !== version) this.#seen = { version, at: now };
    return now - this.#seen.at >= this.#options.durationMs;
  }
}

function holderOf(lease: JsonObject): string {
  return textAt(lease, 'spec', 'holderIdentity') ?? '';
}

/** The Lease as this process wants it stored. */
function leaseOf(
  stored: JsonObject | null,
  holderIdentity: string,
  durationMs: number,
  now: number,
): JsonObject {
  const time = microTime(now);
  const held = { holderIdentity, leaseDurationSeconds: Math.ceil(durationMs / 1000), renewTime: time };
  if (stored === null)
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: LEASE_NAME },
      spec: { ...held, acquireTime: time, leaseTransitions: 0 },
    };
  const spec = objectAt(stored, 'spec') ?? {};
  if (holderOf(stored) === holderIdentity) return { ...stored, spec: { ...spec, ...held } };
  const transitions = spec['leaseTransitions'];
  const leaseTransitions = typeof transitions === 'number' ? transitions + 1 : 1;
  return { ...stored, spec: { ...spec, ...held, acquireTime: time, leaseTransitions } };
}

/** metav1.MicroTime. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace(/Z$/, '000Z');
}
