/** Kept back of the API server's patience for the way there and back and for our own work, in milliseconds. */
const MARGIN_MS = 300;
/** What the API server waits where it does not say. */
const DEFAULT_MS = 10_000;
const MAX_MS = 30_000;

/**
 * Milliseconds that one review may take, from the `?timeout=` that the API server sends (Go's notation of whole or
 * fractional seconds, as `8s` or `1.5s`, and `500ms`). What cannot be read counts as the API server's default.
 */
export function budgetMs(timeout: unknown): number {
  const [, number, unit] =
    /^(\d{1,6}(?:\.\d{1,9})?)(ms|s|m)$/.exec(typeof timeout === 'string' ? timeout : '') ?? [];
  const scale = { ms: 1, s: 1000, m: 60_000 }[unit ?? 's'] ?? 1000;
  const asked = number === undefined ? DEFAULT_MS : Number(number) * scale;
  return Math.max(50, Math.min(asked, MAX_MS) - MARGIN_MS);
}
