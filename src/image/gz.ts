import { constants, gunzipSync } from 'node:zlib';
import { decodeWithinLimit } from './within-limit.ts';
import { type Unwrapped, WRAPPER_LIMITS, type Wrapper } from './wrapper.ts';

const MAGIC = [0x1f, 0x8b];

/** What zlib says of bytes that it cannot decode. */
function isBadData(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && code.startsWith('Z_');
}

interface Gunzipped {
  readonly bytes: Uint8Array;
  readonly consumed: number;
}

/** `wholly` makes a missing end an error. */
function gunzip(input: Uint8Array, wholly: boolean): Gunzipped {
  const { buffer, engine } = gunzipSync(input, {
    info: true,
    maxOutputLength: WRAPPER_LIMITS.maxOutput,
    finishFlush: wholly ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    // @types/node 24 does not know what `info` makes of the result.
  }) as unknown as { buffer: Uint8Array; engine: { bytesWritten: number } };
  return { bytes: buffer, consumed: engine.bytesWritten };
}

/** Several members in a row are one content; zeros after the last are not decoded, nor accepted by CDI. */
function decompress(input: Uint8Array, complete: boolean, wanted: number): Unwrapped {
  try {
    let consumed = 0;
    const decoded = decodeWithinLimit(input.length, wanted, (units) => {
      const result = gunzip(input.subarray(0, units), complete && units === input.length);
      consumed = result.consumed;
      return result.bytes;
    });
    const ended = complete && decoded.units === input.length;
    if (ended && consumed < input.length) return { kind: 'broken', detail: 'gz with bytes after its end' };
    return { kind: 'bytes', bytes: decoded.bytes, ended };
  } catch (error) {
    if (!isBadData(error)) throw error;
    return { kind: 'broken', detail: 'gz data' };
  }
}

/** gzip, RFC 1952. Its ISIZE is modulo 2^32 and the last member's only, so it tells nothing. */
export const GZ: Wrapper = {
  name: 'gz',
  recognise: (prefix) => prefix.startsWith(MAGIC),
  decompress,
  // biome-ignore lint/correctness/useYield: a Reading that needs no bytes
  *contentSize() {
    return { kind: 'unknown' };
  },
};
