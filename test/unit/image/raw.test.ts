import t from 'tap';
import { ByteView } from '../../../src/bytes/view.ts';
import { RAW, rawDisk } from '../../../src/image/raw.ts';
import { runReading } from '../../fixtures/image/run.ts';

const PREFIX = 65_536;

t.test('V of raw bytes is their length in whole sectors', async (t) => {
  const rows: [
    name: string,
    prefix: number,
    stored: bigint | null,
    size: bigint | null,
    least: bigint | null,
  ][] = [
    ['longer than the prefix', PREFIX, 100_001n, 100_352n, null],
    ['longer, of unknown length', PREFIX, null, null, 65_536n],
    ['shorter than the prefix', 1000, 1000n, 1024n, null],
    ['exactly the prefix', PREFIX, 65_536n, 65_536n, null],
    ['64 TiB and a byte', PREFIX, (64n << 40n) + 1n, (64n << 40n) + 512n, null],
  ];
  for (const [name, prefix, storedSize, size, least] of rows) {
    const view = new ByteView(new Uint8Array(prefix));
    const run = runReading(RAW.read(view, { storedSize, map: true }), new Uint8Array(0));
    t.equal(run.value.virtualSize, size, name);
    t.equal(run.value.virtualSizeAtLeast, least, name);
    t.equal(run.requests.length, 0, `${name}: reads nothing more`);
  }
});

t.test('raw bytes may have a defect', async (t) => {
  const defect = { code: 'unsupported-wrapper', detail: 'zip' } as const;
  const facts = rawDisk(new ByteView(new Uint8Array(600)), { storedSize: 600n, map: false }, [defect]);
  t.same(facts.defects, [defect]);
  t.equal(facts.virtualSize, 1024n);
});
