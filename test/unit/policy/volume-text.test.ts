import t from 'tap';
import {
  describeAccepted,
  describeImage,
  describeUnitMixUp,
  HOW_TO_EXEMPT,
  timesOf,
} from '../../../src/policy/volume-text.ts';
import { GiB, MiB } from '../../../src/quantity/units.ts';
import { imageOf, volumeOf } from './volumes.ts';

const TIMES: readonly [bigint, bigint, string][] = [
  [30n, 10n, '3x'],
  [25n, 10n, '2.5x'],
  [299n, 100n, '2.9x'],
  [99n, 10n, '9.9x'],
  [100n, 10n, '10x'],
  [109n, 10n, '10x'],
  [1n, 10n, '0.1x'],
  [1n, 0n, 'infinitely many times'],
];

for (const [requested, size, text] of TIMES)
  t.test(`${requested} is ${text} of ${size}`, (t) => {
    t.equal(timesOf(requested, size), text);
    t.end();
  });

const IMAGES: readonly { name: string; text: string; described: string }[] = [
  {
    name: 'a whole disk',
    described: describeImage(imageOf(10n * GiB), 10n * GiB, 1_100_000_000n),
    text: 'a qcow2 whose disk is 10Gi once decompressed, 1.1GB of data',
  },
  {
    name: 'wrapped',
    described: describeImage(imageOf(GiB, { format: 'raw', wrappers: ['xz', 'gz'] }), GiB, null),
    text: 'a raw in xz in gz whose disk is 1Gi once decompressed',
  },
  {
    name: 'of a size that is known only from below',
    described: describeImage(imageOf(null, { format: 'raw', wrappers: ['gz'] }), 20n * GiB, null),
    text: 'a raw in gz whose disk is at least 20Gi once decompressed',
  },
  {
    name: 'odd bytes are told',
    described: describeImage(imageOf(10n * GiB + 1n), 10n * GiB + 1n, null),
    text: 'a qcow2 whose disk is 10.7GB (10737418241 bytes) once decompressed',
  },
  {
    name: 'allocated bytes come before stored ones',
    described: describeImage(imageOf(GiB, { allocatedSize: 256n * MiB }), GiB, GiB),
    text: 'a qcow2 whose disk is 1Gi once decompressed, 256Mi of data',
  },
];

for (const { name, described, text } of IMAGES)
  t.test(`image: ${name}`, (t) => {
    t.equal(described, text);
    t.end();
  });

const RANGES: readonly { name: string; from: bigint; to: bigint | null; text: string }[] = [
  { name: 'a range', from: 10n * GiB, to: 20n * GiB, text: '10Gi to 20Gi' },
  { name: 'no end', from: 10n * GiB, to: null, text: '10Gi or more' },
  { name: 'one size', from: 10n * GiB, to: 10n * GiB, text: '10Gi' },
  {
    name: 'an end of odd bytes is told as the whole MiB under it',
    from: 10n * GiB,
    to: 20n * GiB - 1n,
    text: '10Gi to 20479Mi',
  },
  { name: 'an end within the first MiB', from: 10n * GiB, to: 10n * GiB + 1n, text: '10Gi' },
  {
    name: 'sizes that people would round',
    from: 100n * GiB + MiB,
    to: 300n * GiB + MiB,
    text: '102401Mi to 307201Mi',
  },
];

for (const { name, from, to, text } of RANGES)
  t.test(`accepted: ${name}`, (t) => {
    t.equal(describeAccepted({ from, to, suggested: 13n * GiB }), `Accepted: ${text}. Ask for 13Gi.`);
    t.end();
  });

const MIX_UPS: readonly { name: string; size: string; from: bigint; text: string }[] = [
  {
    name: '10G for 10Gi',
    size: '10G',
    from: 10n * GiB,
    text: ' 10G is 10000000000 bytes, less than 10Gi.',
  },
  {
    name: 'where the binary unit would be too little as well',
    size: '9G',
    from: 10n * GiB,
    text: '',
  },
  { name: 'a binary unit', size: '9Gi', from: 10n * GiB, text: '' },
  { name: 'bytes', size: '10000000000', from: 10n * GiB, text: '' },
  {
    name: 'k has an upper case K',
    size: '1024k',
    from: MiB,
    text: ' 1024k is 1024000 bytes, less than 1024Ki.',
  },
  {
    name: 'a fraction',
    size: '0.5T',
    from: 512n * GiB,
    text: ' 0.5T is 500000000000 bytes, less than 0.5Ti.',
  },
];

for (const { name, size, from, text } of MIX_UPS)
  t.test(`units: ${name}`, (t) => {
    t.equal(describeUnitMixUp(volumeOf(size), { from, to: null, suggested: from }), text);
    t.end();
  });

t.test('how to be exempted names the rule', (t) => {
  t.match(HOW_TO_EXEMPT('oversized'), / rule oversized /);
  t.end();
});
