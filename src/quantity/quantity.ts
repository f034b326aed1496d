/**
 * A Kubernetes quantity (k8s.io/apimachinery pkg/api/resource). `nanos` is its exact value in billionths, which is the
 * precision that Kubernetes keeps, rounded up (away from zero) as Kubernetes does.
 */
export interface Quantity {
  /** As it was written. */
  readonly text: string;
  readonly nanos: bigint;
}

export type QuantityParse =
  | { readonly ok: true; readonly quantity: Quantity }
  | { readonly ok: false; readonly reason: string };
