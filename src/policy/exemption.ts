import { type JsonObject, type ObjectReference, objectAt, textAt } from '../object/object.ts';

/** Which objects an exemption covers: every condition that is given has to hold. `*` stands for any run of characters. */
export interface Exemption {
  readonly namespaces: readonly string[] | null;
  readonly names: readonly string[] | null;
  /** Label values; `*` asks only that the label is there. */
  readonly labels: Readonly<Record<string, string>> | null;
  /** Rule codes or policy names; null: every rule. */
  readonly rules: readonly string[] | null;
  readonly reason: string;
  /** Milliseconds since the epoch; null: for ever. */
  readonly expires: number | null;
}

/** Object annotations that may exempt, by the configuration's leave. */
const EXEMPT_ANNOTATION = 'plimsoll.dev/exempt';

function matchesPattern(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  if (!text.startsWith(head)) return false;
  let from = head.length;
  const tail = rest.pop()!;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return text.length - from >= tail.length && text.endsWith(tail);
}

const matchesAny = (patterns: readonly string[] | null, text: string) =>
  patterns === null || patterns.some((pattern) => matchesPattern(pattern, text));

function matchesLabels(wanted: Exemption['labels'], object: JsonObject): boolean {
  if (wanted === null) return true;
  const labels = objectAt(object, 'metadata', 'labels') ?? {};
  return Object.entries(wanted).every(([name, pattern]) => {
    const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
    return typeof value === 'string' && matchesPattern(pattern, value);
  });
}

/** Whether it holds at `now` (milliseconds since the epoch): an expired exemption is as none. */
export function isInForce(exemption: Exemption, now: number): boolean {
  return exemption.expires === null || now < exemption.expires;
}

export interface ExemptionRequest {
  readonly object: JsonObject;
  readonly reference: ObjectReference;
  readonly policy: string;
  readonly rule: string;
}

const covers = (exemption: Exemption, { object, reference, policy, rule }: ExemptionRequest) =>
  (exemption.rules === null || exemption.rules.includes(rule) || exemption.rules.includes(policy)) &&
  matchesAny(exemption.namespaces, reference.namespace) &&
  matchesAny(exemption.names, reference.name) &&
  matchesLabels(exemption.labels, object);

/** `rule[,rule]: reason` in the object's own annotation, where its namespace may use it. */
function exemptionOfAnnotation(request: ExemptionRequest, namespaces: readonly string[]): Exemption | null {
  if (!namespaces.some((pattern) => matchesPattern(pattern, request.reference.namespace))) return null;
  const text = textAt(request.object, 'metadata', 'annotations', EXEMPT_ANNOTATION);
  const [, rules, reason] = /^([a-z0-9, -]+):\s*(\S[\s\S]{0,200})$/.exec(text ?? '') ?? [];
  if (rules === undefined || reason === undefined) return null;
  return {
    namespaces: null,
    names: null,
    labels: null,
    rules: rules.split(',').map((rule) => rule.trim()),
    reason: reason.replace(/\s+/g, ' ').trim(),
    expires: null,
  };
}

/** The exemption that covers this finding at `now`, or null. The configuration's come before the object's own annotation. */
export function exemptionFor(
  request: ExemptionRequest,
  exemptions: readonly Exemption[],
  annotationNamespaces: readonly string[],
  now: number,
): Exemption | null {
  const found = exemptions.find((exemption) => isInForce(exemption, now) && covers(exemption, request));
  if (found) return found;
  const own = exemptionOfAnnotation(request, annotationNamespaces);
  return own && covers(own, request) ? own : null;
}
