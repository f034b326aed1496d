import { ByteView } from '../bytes/view.ts';
import type { ByteQueue } from './queue.ts';

/** One entry of a tar archive; its data follows in the archive. */
export interface TarEntry {
  readonly name: string;
  readonly type: 'file' | 'folder' | 'link' | 'other';
  /** Bytes of its data. */
  readonly size: bigint;
}

/** The archive breaks its format (POSIX ustar and pax, GNU long names), or is of a kind that is not read. */
export class TarError extends Error {
  readonly code = 'not-a-tar';
  constructor(what: string) {
    super(`not a tar archive: ${what}`);
    this.name = 'TarError';
  }
}

const BLOCK = 512;
/** Extended headers hold a path and a few numbers; the length that they claim is not to become an allocation. */
const MAX_EXTENDED = 64 * 1024;

const TYPES: Readonly<Record<string, TarEntry['type']>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'link',
  '5': 'folder',
};

/** What the headers before an entry say about it. */
interface Extended {
  readonly path?: string;
  readonly size?: bigint;
}

/**
 * The next entry, the queue left at its data; undefined at the archive's end. Throws TarError. Whoever does
 * not read the data skips `dataLength` bytes.
 */
export async function nextEntry(queue: ByteQueue): Promise<TarEntry | undefined> {
  let extended: Extended = {};
  for (;;) {
    const block = await queue.take(BLOCK);
    if (block.length === 0 || isZero(block)) return undefined;
    const header = parseHeader(block);
    if (header.flag === 'L') extended = { ...extended, path: text(await extendedData(queue, header.size)) };
    else if (header.flag === 'x')
      extended = { ...extended, ...parsePax(await extendedData(queue, header.size)) };
    else if (header.flag === 'K' || header.flag === 'g') await extendedData(queue, header.size);
    else return entryOf(header, extended);
  }
}

/** Bytes of an entry's data in the archive, which fills whole blocks. */
export function dataLength({ size }: TarEntry): bigint {
  const block = BigInt(BLOCK);
  return ((size + block - 1n) / block) * block;
}

interface Header {
  readonly name: string;
  readonly flag: string;
  readonly size: bigint;
}

function entryOf(header: Header, extended: Extended): TarEntry {
  const name = extended.path ?? header.name;
  const type = TYPES[header.flag] ?? 'other';
  if (header.flag === 'S') throw new TarError('a sparse file');
  // Before POSIX a folder was a file whose name ends in a slash.
  if (type === 'file' && name.endsWith('/')) return { name, type: 'folder', size: 0n };
  const hasData = type === 'file' || !/^[1-6]$/.test(header.flag);
  return { name, type, size: hasData ? (extended.size ?? header.size) : 0n };
}

function parseHeader(block: Uint8Array): Header {
  if (block.length < BLOCK) throw new TarError('it ends within a header');
  const view = new ByteView(block);
  if (octal(view, 148, 8) !== checksum(block)) throw new TarError('a header’s checksum');
  const name = text(view.slice(0, 100));
  const prefix = view.ascii(257, 6) === 'ustar\0' ? text(view.slice(345, 155)) : '';
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    flag: view.ascii(156, 1),
    size: number(view, 124, 12),
  };
}

/** The sum of a header's bytes, its checksum's own taken as spaces. */
function checksum(block: Uint8Array): bigint {
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += block[i] as number;
  return BigInt(sum);
}

/** A number in octal, or, with its first bit set, in two's complement (GNU, for 8 GiB and more). */
function number(view: ByteView, offset: number, length: number): bigint {
  const first = view.u8(offset);
  if ((first & 0x80) === 0) return octal(view, offset, length);
  if (first !== 0x80) throw new TarError('a size');
  let value = 0n;
  for (const byte of view.slice(offset + 1, length - 1)) value = (value << 8n) | BigInt(byte);
  return bounded(value);
}

function octal(view: ByteView, offset: number, length: number): bigint {
  const digits = /^[\0 ]*([0-7]*)[\0 ]*$/.exec(view.ascii(offset, length))?.[1];
  if (digits === undefined) throw new TarError('a number');
  return digits === '' ? 0n : BigInt(`0o${digits}`);
}

async function extendedData(queue: ByteQueue, size: bigint): Promise<Uint8Array> {
  if (size > BigInt(MAX_EXTENDED)) throw new TarError('an extended header that is too long');
  const padded = Math.ceil(Number(size) / BLOCK) * BLOCK;
  const data = await queue.take(padded);
  if (data.length < padded) throw new TarError('it ends within an extended header');
  return data.subarray(0, Number(size));
}

/** The records of a pax header: `length key=value\n`, the length counting itself. */
function parsePax(data: Uint8Array): Extended {
  let extended: Extended = {};
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const digits = space < 0 ? '' : text(data.subarray(at, space));
    const length = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
    if (length <= digits.length || at + length > data.length) throw new TarError('a pax record');
    const record = Buffer.from(data.subarray(space + 1, at + length - 1)).toString('utf8');
    const equals = record.indexOf('=');
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key.startsWith('GNU.sparse.')) throw new TarError('a sparse file');
    if (key === 'path') extended = { ...extended, path: value };
    if (key === 'size') extended = { ...extended, size: decimal(value) };
    at += length;
  }
  return extended;
}

function decimal(value: string): bigint {
  if (!/^\d{1,19}$/.test(value)) throw new TarError('a size');
  return bounded(BigInt(value));
}

function bounded(size: bigint): bigint {
  if (size >= 1n << 63n) throw new TarError('a size');
  return size;
}

/** UTF-8 text up to its first NUL. */
function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('utf8');
}

function isZero(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}
