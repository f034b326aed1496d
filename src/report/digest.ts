const OFFSET_BASIS = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** 64-bit FNV-1a over the parts, in hex. It tells things apart; it protects nothing. */
export function digest(...parts: readonly string[]): string {
  let hash = OFFSET_BASIS;
  // A length before each part keeps ("ab", "c") apart from ("a", "bc").
  for (const byte of new TextEncoder().encode(parts.map((part) => `${part.length}:${part}`).join('')))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, '0');
}
