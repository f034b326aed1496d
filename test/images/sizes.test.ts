import { readFileSync, statSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { CORPUS, type Member, makeContent, UNUSABLE } from './corpus.ts';
import { probeFile, qemuAllocated, qemuInfo, requireTools, run, scratchFolder } from './tools.ts';

requireTools();
// Programs run for minutes here, which is longer than tap waits for a file.
t.setTimeout(0);
const scratch = scratchFolder();
t.teardown(scratch.remove);
const content = scratch.path('content.raw');
makeContent(content);

/** Formats whose tables are walked for A. */
const MAPPED = ['qcow2', 'vdi', 'vpc'];
/** The map of a longer VDI is not read. Bytes. */
const MAX_MAPPED_VDI = 2 ** 40;
/** Longer files are not wrapped: it would take too long. Bytes. */
const MAX_WRAPPED = 13_000_000;

const WRAPPINGS: readonly (readonly [wrappers: readonly string[], wrap: (file: string) => Buffer])[] = [
  [['gz'], (file) => run('gzip', ['-1', '-c', file])],
  [['xz'], (file) => run('xz', ['-1', '-T1', '-c', file])],
  [['xz'], (file) => run('xz', ['-0', '-T2', '--block-size=1MiB', '-c', file])],
  [['zst'], (file) => run('zstd', ['-q', '-1', '-c', file])],
  [['zst'], (file) => run('zstd', ['-q', '-3', '--long=27', '-c', file])],
  [['zst'], (file) => run('zstd', ['-q', '-c'], readFileSync(file))],
  [['xz', 'gz'], (file) => run('xz', ['-0', '-c'], run('gzip', ['-1', '-c', file]))],
];

function make(member: Member, index: number): string {
  const file = scratch.path(`${index}.img`);
  member.make(file, content);
  return file;
}

for (const [index, member] of CORPUS.entries())
  t.test(member.name, async (t) => {
    const file = make(member, index);
    const expected = qemuInfo(file)!;
    const facts = await probeFile(file);
    t.equal(facts.format, expected.format, 'format');
    t.equal(facts.virtualSize, BigInt(expected.virtualSize), 'V');
    t.same(facts.defects, [], 'no defect');
    const isTooLong = expected.format === 'vdi' && expected.virtualSize > MAX_MAPPED_VDI;
    if (MAPPED.includes(expected.format) && !isTooLong)
      t.equal(facts.allocatedSize, qemuAllocated(file), 'A');
    if (statSync(file).size > MAX_WRAPPED) return;

    const wrapped = `${file}.wrapped`;
    for (const [i, [wrappers, wrap]] of WRAPPINGS.entries()) {
      const bytes = wrap(file);
      writeFileSync(wrapped, bytes);
      const inside = await probeFile(wrapped);
      const name = `${wrappers.join(' of ')} ${i}`;
      if (bytes.length < 512) {
        t.equal(inside.defects[0]?.code, 'under-512-bytes', name);
        continue;
      }
      t.same([inside.format, inside.wrappers, inside.defects], [expected.format, wrappers, []], name);
      if (mayBeUnknown(expected.format, i) && inside.virtualSize === null)
        t.ok((inside.virtualSizeAtLeast ?? 0n) <= BigInt(expected.virtualSize), `${name}: at least`);
      else t.equal(inside.virtualSize, BigInt(expected.virtualSize), `${name}: V`);
    }
  });

/** Raw in gz, in a zst without its size, or in two wrappers; VHDX whose metadata lies past 1 MiB. */
function mayBeUnknown(format: string, wrapping: number): boolean {
  return format === 'vhdx' || (format === 'raw' && [0, 5, 6].includes(wrapping));
}

for (const [index, member] of UNUSABLE.entries())
  t.test(`unusable: ${member.name}`, async (t) => {
    const facts = await probeFile(make(member, CORPUS.length + index));
    t.ok(facts.defects.length > 0);
  });

t.test('unusable: a lone extent of a VMDK in several', async (t) => {
  const file = scratch.path('split.vmdk');
  run('qemu-img', ['create', '-q', '-f', 'vmdk', '-o', 'subformat=twoGbMaxExtentSparse', file, '10M']);
  const facts = await probeFile(scratch.path('split-s001.vmdk'));
  t.equal(facts.defects[0]?.code, 'descriptor-only');
});
