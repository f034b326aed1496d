/** A run of bytes in a file: `offset` and `length` in bytes. */
export interface ByteRange {
  readonly offset: bigint;
  readonly length: number;
}
