import t from 'tap';
import { ByteView } from '../../../src/bytes/view.ts';
import { UNIMPORTABLE } from '../../../src/image/unimportable.ts';
import { FileBytes } from '../../fixtures/image/file.ts';
import { runReading } from '../../fixtures/image/run.ts';

function detail(start: string): string | null {
  const prefix = new ByteView(new FileBytes(4096).put(0, start).bytes);
  const row = UNIMPORTABLE.find((format) => format.recognise(prefix));
  if (row === undefined) return null;
  return runReading(row.read(prefix, { storedSize: 4096n, map: false }), prefix.bytes).value.defects[0]!
    .detail;
}

const rows: readonly (readonly [name: string, start: string, detail: string | null])[] = [
  ['descriptor', '# Disk DescriptorFile\nversion=1\n', 'VMDK descriptor'],
  ['descriptor with CRLF', '# Disk DescriptorFile\r\nversion=3\r\n', 'VMDK descriptor'],
  ['descriptor with blank lines', '# a\n   \n# b\nversion=2\n', 'VMDK descriptor'],
  ['descriptor without a comment', 'version=1\n', 'VMDK descriptor'],
  ['descriptor of version 4', '# Disk DescriptorFile\nversion=4\n', null],
  ['a script', '#!/bin/sh\nexit 0\n', null],
  ['cloop', '#!/bin/sh\n#V2.0 Format\n', 'cloop'],
  ['qcow 1', 'QFI\xfb\0\0\0\x01', 'qcow version 1'],
  ['qcow2', 'QFI\xfb\0\0\0\x02', null],
  ['LUKS1', 'LUKS\xba\xbe\0\x01', 'LUKS'],
  ['LUKS2', 'LUKS\xba\xbe\0\x02', 'LUKS2'],
  ['LUKS of another version', 'LUKS\xba\xbe\0\x03', null],
  ['HTML', '<!DOCTYPE html><html>', 'HTML page'],
  ['HTML, small letters, blank lines', '\r\n\t <!doctype HTML >', 'HTML page'],
  ['HTML without a doctype', '<html lang="en">', 'HTML page'],
  ['HTML behind a byte order mark', '\xef\xbb\xbf<html>', 'HTML page'],
  ['XML', '<?xml version="1.0"?>', null],
  ['a word that begins like it', '<htmlish>', null],
  ['nothing', '', null],
];
for (const [name, start, expected] of rows) t.test(name, async (t) => t.equal(detail(start), expected));
