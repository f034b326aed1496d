import { identify, type ObjectReference } from '../object/object.ts';
import type { Review } from './world.ts';

/** `DataVolume demo/base`, as people name objects. */
export function labelOf({ kind, namespace, name }: ObjectReference): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name === '' ? '(unnamed)' : name}`;
}

/** The object's reference, with the namespace of the request where it names none itself. */
export function referenceOf(review: Review): ObjectReference {
  const reference = identify(review.object);
  return reference.namespace === '' ? { ...reference, namespace: review.namespace } : reference;
}
