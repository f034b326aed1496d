import { at, isObject, listAt, objectAt } from '../object/object.ts';
import { compareQuantities, parseQuantity } from '../quantity/parse.ts';
import type { Quantity } from '../quantity/quantity.ts';
import { nameOf } from './container.ts';

/** The class that decides whom the kernel and the kubelet sacrifice first. */
export type QosClass =
  | { readonly kind: 'Guaranteed' }
  | { readonly kind: 'BestEffort' }
  /** `because` names the first container that keeps the pod from being Guaranteed. */
  | { readonly kind: 'Burstable'; readonly because: string }
  /** Pod-level resources decide then, and they are none of ours. */
  | { readonly kind: 'podLevel' };

const COMPUTE = ['memory', 'cpu'] as const;

/** The class of the pods made from a pod spec; init containers count as the others do. */
export function qosClassOf(podSpec: unknown): QosClass {
  if (isObject(at(podSpec, 'resources'))) return { kind: 'podLevel' };
  const containers = ['initContainers', 'containers'].flatMap((list) =>
    listAt(podSpec, list).map((container, index) => ({ container, name: nameOf(container, index) })),
  );
  if (!containers.some(({ container }) => asksForAnything(container))) return { kind: 'BestEffort' };
  for (const { container, name } of containers) {
    const shortfall = shortfallOf(container);
    if (shortfall !== null) return { kind: 'Burstable', because: `container ${name} ${shortfall}` };
  }
  return { kind: 'Guaranteed' };
}

function asksForAnything(container: unknown): boolean {
  return COMPUTE.some(
    (resource) =>
      amount(container, 'limits', resource) !== null || amount(container, 'requests', resource) !== null,
  );
}

/** What keeps a container from being Guaranteed; null where nothing does. */
function shortfallOf(container: unknown): string | null {
  for (const resource of COMPUTE) {
    const limit = amount(container, 'limits', resource);
    if (limit === null) return `has no ${resource} limit`;
    // A request that is not written is taken from the limit.
    if (at(container, 'resources', 'requests', resource) == null) continue;
    const request = amount(container, 'requests', resource);
    if (request === null || compareQuantities(request, limit) !== 0) {
      return `requests another amount of ${resource} than its limit`;
    }
  }
  return null;
}

/** null where it is missing, unreadable or zero, which Kubernetes counts as missing here. */
function amount(container: unknown, side: 'limits' | 'requests', resource: string): Quantity | null {
  const parse = parseQuantity(at(objectAt(container, 'resources', side), resource));
  return parse.ok && parse.quantity.nanos > 0n ? parse.quantity : null;
}
