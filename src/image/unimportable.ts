import type { ByteView } from '../bytes/view.ts';
import { type DiskFacts, type Format, unusable } from './format.ts';
import type { DefectCode, Reading } from './image.ts';
import { rawDisk } from './raw.ts';

const text = (magic: string) => new TextEncoder().encode(magic);

/** A disk format that qemu-img knows and CDI turns down whatever its size. */
function refused(
  name: string,
  detail: string,
  recognise: (prefix: ByteView) => boolean,
  code: DefectCode = 'unsupported-format',
): Format {
  return {
    name,
    recognise,
    // biome-ignore lint/correctness/useYield: a Reading that needs no more than the prefix
    *read(): Reading<DiskFacts> {
      return unusable(name, code, detail);
    },
  };
}

/** Bytes that are raw to CDI, hence imported as they are, and no disk. */
export function misread(
  detail: string,
  recognise: (prefix: ByteView) => boolean,
  code: DefectCode = 'unsupported-format',
): Format {
  return {
    name: 'raw',
    recognise,
    // biome-ignore lint/correctness/useYield: a Reading that needs no more than the prefix
    *read(prefix, options): Reading<DiskFacts> {
      return rawDisk(prefix, options, [{ code, detail }]);
    },
  };
}

/**
 * A VMDK descriptor in a file of its own, as qemu tells one: comments and blank lines, then `version=1` to 3.
 */
function isVmdkDescriptor(prefix: ByteView): boolean {
  if (prefix.u8(0) !== 0x23 && !prefix.startsWith(text('version='))) return false;
  const head = prefix.ascii(0, Math.min(prefix.length, 2048));
  return /^(?:#[^\n]*\n| *\r?\n)*version=[123]\r?\n/.test(head);
}

/** A page, most likely what a server shows in place of a missing image. */
function isHtml(prefix: ByteView): boolean {
  return /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html)[\s>]/i.test(prefix.ascii(0, 512));
}

/** Disk formats of others that CDI refuses, or misreads as raw. */
export const UNIMPORTABLE: readonly Format[] = [
  refused('qcow', 'qcow version 1', (prefix) => prefix.startsWith([0x51, 0x46, 0x49, 0xfb, 0, 0, 0, 1])),
  refused('qed', 'QED', (prefix) => prefix.startsWith([0x51, 0x45, 0x44, 0])),
  refused('vmdk', 'COWD', (prefix) => prefix.startsWith(text('COWD'))),
  refused('vmdk', 'VMDK descriptor', isVmdkDescriptor, 'descriptor-only'),
  refused(
    'parallels',
    'Parallels',
    (prefix) => prefix.startsWith(text('WithoutFreeSpace')) || prefix.startsWith(text('WithouFreSpacExt')),
  ),
  refused(
    'luks',
    'LUKS',
    (prefix) => prefix.startsWith([0x4c, 0x55, 0x4b, 0x53, 0xba, 0xbe, 0, 1]),
    'encrypted',
  ),
  refused('bochs', 'Bochs', (prefix) => prefix.startsWith(text('Bochs Virtual HD Image\0'))),
  refused('cloop', 'cloop', (prefix) => prefix.startsWith(text('#!/bin/sh\n#V2.0 Format\n'))),
  misread('VMDK seSparse', (prefix) => prefix.startsWith([0xbe, 0xba, 0xfe, 0xca, 0, 0, 0, 0])),
  // qemu-img knows version 1 only.
  misread('LUKS2', (prefix) => prefix.startsWith([0x4c, 0x55, 0x4b, 0x53, 0xba, 0xbe, 0, 2]), 'encrypted'),
  misread('HTML page', isHtml),
];
