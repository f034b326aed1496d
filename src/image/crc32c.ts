/** Castagnoli's polynomial, bits reversed. */
const POLYNOMIAL = 0x82f6_3b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++)
    remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1;
  return remainder;
});

/** CRC-32C of bytes, in which the 4 bytes at `blank` count as zeros: where the checksum itself is kept. */
export function crc32c(bytes: Uint8Array, blank: number): number {
  let crc = 0xffff_ffff;
  // Tables of 64 KiB are summed on every probe, which an iterator would slow down tenfold.
  for (let i = 0; i < bytes.length; i++) {
    const counted = i >= blank && i < blank + 4 ? 0 : bytes[i]!;
    crc = (crc >>> 8) ^ TABLE[(crc ^ counted) & 0xff]!;
  }
  return ~crc >>> 0;
}
