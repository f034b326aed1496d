import { DEFECTS, type ImageFacts } from '../image/image.ts';
import { formatForPeople, formatQuantity } from '../quantity/format.ts';
import { bytesOf } from '../quantity/parse.ts';
import type { Volume } from '../volume/volume.ts';
import type { Finding, Severity, VolumeRule } from './finding.ts';
import type { ImageLook } from './image-look.ts';
import { acceptedSizes, isRoomy, isTooSmall, type SizeLimits } from './size-limits.ts';
import { describeAccepted, describeImage, describeUnitMixUp, HOW_TO_EXEMPT, timesOf } from './volume-text.ts';

const SEVERITY: Readonly<Record<VolumeRule, Severity>> = {
  'too-small': 'high',
  tight: 'low',
  oversized: 'high',
  'unusable-image': 'medium',
  'unknown-image': 'low',
  'host-assisted': 'info',
};

interface Judged {
  readonly volume: Volume;
  /** `DataVolume demo/base`. */
  readonly label: string;
  readonly properties: Readonly<Record<string, string>>;
}

function finding({ volume, label, properties }: Judged, rule: VolumeRule, text: string): Finding {
  return {
    policy: 'volume-size',
    rule,
    field: volume.field,
    message: `${label}: ${text}`,
    severity: SEVERITY[rule],
    hostAssisted: volume.hostAssistedBecause !== null,
    properties,
  };
}

function hostAssisted(judged: Judged): Finding[] {
  const { volume } = judged;
  if (!volume.base.isBase || volume.hostAssistedBecause === null) return [];
  return [
    finding(
      judged,
      'host-assisted',
      `clones of this base will be copied through pods (host-assisted), because ${volume.hostAssistedBecause}; ` +
        'each needs time in proportion to its size, and memory for CDI’s pods',
    ),
  ];
}

function sizeFindings(
  judged: Judged,
  facts: ImageFacts,
  storedSize: bigint | null,
  limits: SizeLimits,
): Finding[] {
  const { volume } = judged;
  const virtualSize = facts.virtualSize ?? facts.virtualSizeAtLeast;
  if (virtualSize === null) return [];
  const requested = bytesOf(volume.requested);
  const data = facts.allocatedSize ?? storedSize;
  const accepted = acceptedSizes(volume, virtualSize, data, limits);
  const sized = {
    ...judged,
    properties: {
      ...judged.properties,
      suggested: formatQuantity(accepted.suggested),
      acceptedFrom: String(accepted.from),
      ...(accepted.to === null ? {} : { acceptedTo: String(accepted.to) }),
    },
  };
  const asks = `${volume.field} asks for ${volume.requested.text}`;
  const image = `the image is ${describeImage(facts, virtualSize, storedSize)}`;

  if (isTooSmall(volume, virtualSize, requested))
    return [
      finding(
        sized,
        'too-small',
        `${asks}, but ${image}. CDI would fail with "DataVolume too small to contain image". ` +
          `${describeAccepted(accepted)}${describeUnitMixUp(volume, accepted)} ${HOW_TO_EXEMPT('too-small')}`,
      ),
    ];
  if (!volume.readings.every((reading) => isRoomy(reading, volume.api, requested, virtualSize)))
    return [
      finding(
        sized,
        'tight',
        `${asks}, which leaves no room for the image's disk of ${formatForPeople(virtualSize)}: the import may fail.` +
          `${describeUnitMixUp(volume, accepted)} ${describeAccepted(accepted)}`,
      ),
    ];
  // Without V nobody can say that it is too much.
  if (facts.virtualSize === null || accepted.to === null || requested <= accepted.to) return [];
  const ofData = data === null ? '' : ` and ${timesOf(requested, data)} its data`;
  return [
    finding(
      sized,
      'oversized',
      `${asks}, but ${image}: ${timesOf(requested, virtualSize)} its disk${ofData}. Every clone of this base will be at least ` +
        `as large. ${describeAccepted(accepted)} ${HOW_TO_EXEMPT('oversized')}`,
    ),
  ];
}

/**
 * Everything that can be said of a volume and its image. `subject` names the object as people do (`DataVolume demo/base`).
 * Findings come in the order of their weight; actions and exemptions are not applied here (decide.ts).
 */
export function judgeVolume(volume: Volume, look: ImageLook, limits: SizeLimits, subject: string): Finding[] {
  const asked = { requested: volume.requested.text, requestedBytes: String(bytesOf(volume.requested)) };
  if (look.kind === 'unknown') {
    const judged = { volume, label: subject, properties: { ...asked, reason: look.code } };
    return [
      finding(judged, 'unknown-image', `the image could not be looked at: ${look.detail} (${look.code})`),
      ...hostAssisted(judged),
    ];
  }
  const { facts, storedSize } = look;
  const judged = { volume, label: subject, properties: { ...asked, ...imageProperties(facts, storedSize) } };
  const unusable = facts.defects.map((defect) =>
    finding(
      judged,
      'unusable-image',
      `the image (${[...facts.wrappers, facts.format].join(', ')}) ${DEFECTS[defect.code]}: ${defect.detail}`,
    ),
  );
  const sizeUnknown =
    facts.virtualSize === null && unusable.length === 0
      ? [
          finding(
            { ...judged, properties: { ...judged.properties, reason: 'size-unknown' } },
            'unknown-image',
            `the size of the disk in ${facts.wrappers.join(', ') || 'it'} cannot be told without reading all of it (size-unknown)`,
          ),
        ]
      : [];
  return [
    ...sizeFindings(judged, facts, storedSize, limits),
    ...unusable,
    ...sizeUnknown,
    ...hostAssisted(judged),
  ];
}

/** What was measured, as strings for reports and audit. */
export function imageProperties(facts: ImageFacts, storedSize: bigint | null): Record<string, string> {
  const { format, wrappers, virtualSize, allocatedSize } = facts;
  const properties: Record<string, string> = { format: [...wrappers, format].join('+') };
  if (virtualSize !== null) properties['virtualSize'] = String(virtualSize);
  if (storedSize !== null) properties['storedSize'] = String(storedSize);
  if (allocatedSize !== null) properties['allocatedSize'] = String(allocatedSize);
  return properties;
}
