import { identify, type ObjectReference } from '../object/object.ts';
import type { Review } from './world.ts';

/** Kubernetes allows names of 253 characters; a message of under 500 has to hold more than a name. */
const MAX_KIND = 30;
const MAX_NAMESPACE = 40;
const MAX_NAME = 60;

/** `DataVolume demo/base`, as people name objects; what is very long is cut in its middle. */
export function labelOf({ kind, namespace, name }: ObjectReference): string {
  const home = namespace === '' ? '' : `${shortened(namespace, MAX_NAMESPACE)}/`;
  return `${shortened(kind, MAX_KIND)} ${home}${name === '' ? '(unnamed)' : shortened(name, MAX_NAME)}`;
}

/** Names that differ do so at either end: `most` is even. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most / 2)}…${text.slice(1 - most / 2)}`;
}

/** The object's reference, with the namespace of the request where it names none itself. */
export function referenceOf(review: Review): ObjectReference {
  const reference = identify(review.object);
  return reference.namespace === '' ? { ...reference, namespace: review.namespace } : reference;
}
