import type { ImageFacts } from '../image/image.ts';
import { formatForPeople, formatQuantity } from '../quantity/format.ts';
import { bytesOf, parseQuantity } from '../quantity/parse.ts';
import { MiB, roundDownTo } from '../quantity/units.ts';
import type { Volume } from '../volume/volume.ts';
import type { AcceptedSizes } from './size-limits.ts';

/** `R / size` as `30x`, or with one decimal below ten; integer arithmetic. */
export function timesOf(requested: bigint, size: bigint): string {
  if (size === 0n) return 'infinitely many times';
  const tenths = (requested * 10n) / size;
  return tenths >= 100n || tenths % 10n === 0n ? `${tenths / 10n}x` : `${tenths / 10n}.${tenths % 10n}x`;
}

/** What the image is: `a qcow2 in xz: a disk of 10Gi (10737418240 bytes) holding 1.1GB`. */
export function describeImage(facts: ImageFacts, virtualSize: bigint, storedSize: bigint | null): string {
  const wrapped = facts.wrappers.length > 0 ? ` in ${facts.wrappers.join(' in ')}` : '';
  const exact = virtualSize % MiB === 0n ? '' : ` (${virtualSize} bytes)`;
  const data = facts.allocatedSize ?? storedSize;
  const stored = data === null ? '' : `, ${formatForPeople(data)} of data`;
  return `a ${facts.format}${wrapped} whose disk is ${facts.virtualSize === null ? 'at least ' : ''}${formatForPeople(virtualSize)}${exact} once decompressed${stored}`;
}

/** What to ask for instead. Every size in it is exact, and may be asked for as it stands. */
export function describeAccepted({ from, to, suggested }: AcceptedSizes): string {
  const least = formatQuantity(from);
  const most = to === null ? null : formatQuantity(roundDownTo(to, MiB));
  const range = most === null ? `${least} or more` : most === least ? least : `${least} to ${most}`;
  return `Accepted: ${range}. Ask for ${formatQuantity(suggested)}.`;
}

/** `10G` where `10Gi` was meant: named when the same number with a binary unit would pass. Empty otherwise. */
export function describeUnitMixUp(volume: Volume, accepted: AcceptedSizes): string {
  const decimal = /^([0-9.]+)([kMGTPE])$/.exec(volume.requested.text);
  if (!decimal) return '';
  const meant = `${decimal[1]}${decimal[2] === 'k' ? 'K' : decimal[2]}i`;
  const parsed = parseQuantity(meant);
  if (!parsed.ok || bytesOf(parsed.quantity) < accepted.from) return '';
  return ` ${volume.requested.text} is ${bytesOf(volume.requested)} bytes, less than ${meant}.`;
}

export const HOW_TO_EXEMPT = (rule: string) =>
  `To keep it, have a cluster administrator add an exemption for rule ${rule} to Plimsoll's configuration.`;
