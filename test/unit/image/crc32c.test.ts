import t from 'tap';
import { crc32c } from '../../../src/image/crc32c.ts';

const NONE = 1000;

t.test('CRC-32C', async (t) => {
  t.equal(crc32c(Buffer.from('123456789'), NONE), 0xe3069283, 'the check value of its definition');
  t.equal(crc32c(new Uint8Array(32), NONE), 0x8a9136aa, '32 zeros (RFC 3720, B.4)');
  t.equal(crc32c(new Uint8Array(0), NONE), 0);
});

t.test('the checksum itself counts as zeros', async (t) => {
  const bytes = Uint8Array.from({ length: 32 }, (_, i) => (i >= 4 && i < 8 ? 0xee : 0));
  t.equal(crc32c(bytes, 4), 0x8a9136aa);
  t.ok(crc32c(bytes, 5) !== 0x8a9136aa);
});
