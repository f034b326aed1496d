import { readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { DEFECTS, type DefectCode, type ImageFacts } from '../../../src/image/image.ts';
import type { ImageLook } from '../../../src/policy/image-look.ts';
import { imageProperties, judgeVolume } from '../../../src/policy/judge-volume.ts';
import type { SizeLimits } from '../../../src/policy/size-limits.ts';
import { GiB, MiB } from '../../../src/quantity/units.ts';
import { SOURCE_FAILURES, SourceError, type SourceFailureCode } from '../../../src/source/source.ts';
import type { Volume } from '../../../src/volume/volume.ts';
import { BLOCK, imageOf, MULTIPLY, volumeOf } from './volumes.ts';

const LIMITS: SizeLimits = {
  maxThousandthsOfVirtual: 2000n,
  maxThousandthsOfData: 10_000n,
  allowance: 10n * GiB,
};
const SUBJECT = 'DataVolume images/fedora';
const NO_BASE = { isBase: false, because: 'a VirtualMachine owns it' };

/** What looking brought, with 1.1 GB stored where nothing else is said. */
function seen(facts: ImageFacts, storedSize: bigint | null = 1_100_000_000n): ImageLook {
  return { kind: 'image', facts, storedSize };
}

function unseen(code: SourceFailureCode): ImageLook {
  return { kind: 'unknown', code, detail: new SourceError(code).message };
}

interface Case {
  readonly name: string;
  readonly volume: Volume;
  readonly look: ImageLook;
  /** In order. */
  readonly rules: readonly string[];
}

const defect = (code: DefectCode, detail: string): ImageFacts =>
  imageOf(10n * GiB, { defects: [{ code, detail }] });

const CASES: readonly Case[] = [
  {
    name: 'a base of 30Gi for 10 GiB',
    volume: volumeOf('30Gi'),
    look: seen(imageOf(10n * GiB)),
    rules: ['oversized'],
  },
  { name: 'of 20Gi', volume: volumeOf('20Gi'), look: seen(imageOf(10n * GiB)), rules: [] },
  {
    name: 'of 20Gi and a byte',
    volume: volumeOf(String(20n * GiB + 1n)),
    look: seen(imageOf(10n * GiB)),
    rules: ['oversized'],
  },
  { name: 'of 10Gi', volume: volumeOf('10Gi'), look: seen(imageOf(10n * GiB)), rules: [] },
  { name: 'of 5Gi', volume: volumeOf('5Gi'), look: seen(imageOf(10n * GiB)), rules: ['too-small'] },
  {
    name: 'of 30Gi, stored in 645988352 bytes',
    volume: volumeOf('30Gi'),
    look: seen(imageOf(10n * GiB), 645988352n),
    rules: ['oversized'],
  },
  {
    name: 'of 30Gi, stored in 2065760256 bytes',
    volume: volumeOf('30Gi'),
    look: seen(imageOf(10n * GiB), 2065760256n),
    rules: ['oversized'],
  },
  {
    name: 'a disk that is 65 times its data, at 37Gi',
    volume: volumeOf('37Gi'),
    look: seen(imageOf(39728447488n), 613416960n),
    rules: [],
  },
  {
    name: 'a disk that is 65 times its data, at 40Gi',
    volume: volumeOf('40Gi'),
    look: seen(imageOf(39728447488n), 613416960n),
    rules: [],
  },
  {
    name: 'a tiny image in 5Gi',
    volume: volumeOf('5Gi'),
    look: seen(imageOf(117440512n), 16_300_544n),
    rules: [],
  },
  {
    name: 'spec.pvc of the size of the disk',
    volume: volumeOf('4Gi', { api: 'pvc' }),
    look: seen(imageOf(4n * GiB)),
    rules: ['tight'],
  },
  { name: '1Gi for 5 GiB', volume: volumeOf('1Gi'), look: seen(imageOf(5n * GiB)), rules: ['too-small'] },
  {
    name: 'a block device that is a little small',
    volume: volumeOf('12884901888', { kinds: [BLOCK] }),
    look: seen(imageOf(12886302720n), null),
    rules: ['tight'],
  },
  {
    name: 'an ISO in spec.pvc of 13Gi',
    volume: volumeOf('13Gi', { api: 'pvc' }),
    look: seen(imageOf(14548992000n, { format: 'raw' }), 14548992000n),
    rules: ['too-small'],
  },
  {
    name: 'an ISO in spec.storage of 13Gi',
    volume: volumeOf('13Gi'),
    look: seen(imageOf(14548992000n, { format: 'raw' }), 14548992000n),
    rules: ['tight'],
  },
  {
    name: 'an ISO on a block device of 13Gi',
    volume: volumeOf('13Gi', { kinds: [BLOCK] }),
    look: seen(imageOf(14548992000n, { format: 'raw' }), 14548992000n),
    rules: ['tight'],
  },
  {
    name: 'a VM’s own disk is never oversized',
    volume: volumeOf('100Gi', { base: NO_BASE }),
    look: seen(imageOf(2361393152n)),
    rules: [],
  },
  {
    name: 'a VM’s own disk can be too small',
    volume: volumeOf('1Gi', { base: NO_BASE }),
    look: seen(imageOf(2361393152n)),
    rules: ['too-small'],
  },
  {
    name: '10G for 10Gi',
    volume: volumeOf('10G', { kinds: [MULTIPLY] }),
    look: seen(imageOf(10n * GiB)),
    rules: ['too-small'],
  },
  {
    name: 'one reading holds the disk, the other does not',
    volume: volumeOf('10Gi', { api: 'pvc', kinds: [BLOCK, MULTIPLY] }),
    look: seen(imageOf(10n * GiB)),
    rules: ['tight'],
  },
  {
    name: 'a backing file, in a size that would do',
    volume: volumeOf('10Gi'),
    look: seen(defect('backing-file', 'header says 12 bytes at 1024')),
    rules: ['unusable-image'],
  },
  {
    name: 'a backing file, in a size that would not do',
    volume: volumeOf('5Gi'),
    look: seen(defect('backing-file', 'header says 12 bytes at 1024')),
    rules: ['too-small', 'unusable-image'],
  },
  {
    name: 'an unknown format without a size',
    volume: volumeOf('10Gi'),
    look: seen(
      imageOf(null, { format: 'unknown', defects: [{ code: 'unsupported-wrapper', detail: 'bz2' }] }),
    ),
    rules: ['unusable-image'],
  },
  {
    name: 'compressed, of a size that nobody can tell',
    volume: volumeOf('30Gi'),
    look: seen(imageOf(null, { format: 'raw', wrappers: ['gz'], virtualSizeAtLeast: 20n * GiB })),
    rules: ['unknown-image'],
  },
  {
    name: 'compressed, of a size that is too much at the least',
    volume: volumeOf('10Gi'),
    look: seen(imageOf(null, { format: 'raw', wrappers: ['gz'], virtualSizeAtLeast: 20n * GiB })),
    rules: ['too-small', 'unknown-image'],
  },
  {
    name: 'nothing is known of its size',
    volume: volumeOf('10Gi'),
    look: seen(imageOf(null, { format: 'raw', wrappers: ['xz'] }), null),
    rules: ['unknown-image'],
  },
  {
    name: 'no wrapper, and no size either',
    volume: volumeOf('10Gi'),
    look: seen(imageOf(null, { format: 'raw' }), null),
    rules: ['unknown-image'],
  },
  {
    name: 'a base whose clones are host-assisted',
    volume: volumeOf('30Gi', { hostAssistedBecause: 'its StorageProfile local-path clones by copy' }),
    look: seen(imageOf(10n * GiB)),
    rules: ['oversized', 'host-assisted'],
  },
  {
    name: 'a base whose clones are host-assisted, not looked at',
    volume: volumeOf('30Gi', { hostAssistedBecause: 'its StorageProfile local-path clones by copy' }),
    look: unseen('timed-out'),
    rules: ['unknown-image', 'host-assisted'],
  },
  {
    name: 'clones of what is no base are no matter',
    volume: volumeOf('30Gi', { base: NO_BASE, hostAssistedBecause: 'its StorageProfile says copy' }),
    look: seen(imageOf(10n * GiB)),
    rules: [],
  },
  ...(Object.keys(SOURCE_FAILURES) as SourceFailureCode[]).map((code) => ({
    name: `could not look: ${code}`,
    volume: volumeOf('30Gi'),
    look: unseen(code),
    rules: ['unknown-image'],
  })),
  ...(Object.keys(DEFECTS) as DefectCode[]).map((code) => ({
    name: `defect: ${code}`,
    volume: volumeOf('10Gi'),
    look: seen(defect(code, 'the header says so')),
    rules: ['unusable-image'],
  })),
];

const judge = ({ volume, look }: Case, subject = SUBJECT) => judgeVolume(volume, look, LIMITS, subject);

for (const one of CASES)
  t.test(one.name, (t) => {
    const findings = judge(one);
    t.same(
      findings.map(({ rule }) => rule),
      one.rules,
    );
    for (const { policy, field, message, properties, hostAssisted } of findings) {
      t.equal(policy, 'volume-size');
      t.equal(field, one.volume.field);
      t.ok(message.startsWith(`${SUBJECT}: `), 'names the object');
      t.equal(properties['requested'], one.volume.requested.text);
      t.equal(hostAssisted, one.volume.hostAssistedBecause !== null);
      t.ok(
        Object.values(properties).every((value) => typeof value === 'string'),
        'properties are strings',
      );
    }
    t.end();
  });

t.test('every message is one line of under 500 characters', (t) => {
  // Names of 40 characters are long ones; the longest that Kubernetes has leave no room for anything.
  const subject = `DataVolume ${'n'.repeat(40)}/${'v'.repeat(40)}`;
  for (const one of CASES)
    for (const { message } of judge(one, subject)) {
      t.ok(message.length < 500, `${one.name}: ${message.length}`);
      t.notOk(/[\p{Cc}\u2028\u2029]/u.test(message), one.name);
    }
  t.end();
});

const SEVERITIES: readonly [rule: string, severity: string][] = [
  ['too-small', 'high'],
  ['tight', 'low'],
  ['oversized', 'high'],
  ['unusable-image', 'medium'],
  ['unknown-image', 'low'],
  ['host-assisted', 'info'],
];

t.test('severities', (t) => {
  const found = new Map(CASES.flatMap((one) => judge(one)).map(({ rule, severity }) => [rule, severity]));
  t.same([...found].sort(), [...SEVERITIES].sort());
  t.end();
});

t.test('a finding of sizes tells them in figures', (t) => {
  const [finding] = judge(CASES[0]!);
  t.same(finding?.properties, {
    requested: '30Gi',
    requestedBytes: '32212254720',
    format: 'qcow2',
    virtualSize: '10737418240',
    storedSize: '1100000000',
    suggested: '10Gi',
    acceptedFrom: '10737418240',
    acceptedTo: '21474836480',
  });
  t.end();
});

t.test('an unknown image tells its reason by code', (t) => {
  const of = (name: string) => judge(CASES.find((one) => one.name === name)!).at(-1)?.properties['reason'];
  t.equal(of('could not look: needs-credentials'), 'needs-credentials');
  t.equal(of('nothing is known of its size'), 'size-unknown');
  t.end();
});

t.test('two defects are two findings', (t) => {
  const facts = imageOf(10n * GiB, {
    defects: [
      { code: 'encrypted', detail: 'crypt_method 2' },
      { code: 'external-data-file', detail: 'incompatible feature bit 2' },
    ],
  });
  const findings = judgeVolume(volumeOf('10Gi'), seen(facts), LIMITS, SUBJECT);
  t.same(
    findings.map(({ message }) => message),
    [
      `${SUBJECT}: the image (qcow2) is encrypted: crypt_method 2`,
      `${SUBJECT}: the image (qcow2) keeps its data in another file: incompatible feature bit 2`,
    ],
  );
  t.end();
});

t.test('properties of an image leave out what is not known', (t) => {
  t.same(imageProperties(imageOf(null, { format: 'raw', wrappers: ['xz'] }), null), { format: 'xz+raw' });
  t.same(imageProperties(imageOf(MiB, { allocatedSize: 0n }), 3n), {
    format: 'qcow2',
    virtualSize: '1048576',
    storedSize: '3',
    allocatedSize: '0',
  });
  t.end();
});

const GOLDEN = new URL('../../golden/messages/volume-size.txt', import.meta.url);

/** With GOLDEN=write in the environment the file is made anew, to be read before it is committed. */
t.test('the messages, word for word', (t) => {
  const text = CASES.flatMap((one) => {
    const messages = judge(one).map(({ rule, message }) => `  ${rule}: ${message}`);
    return [`# ${one.name}`, ...(messages.length === 0 ? ['  (nothing)'] : messages), ''];
  }).join('\n');
  if (process.env['GOLDEN'] === 'write') writeFileSync(GOLDEN, text);
  t.equal(text, readFileSync(GOLDEN, 'utf8'));
  t.end();
});
