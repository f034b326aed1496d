import type { ObjectReference } from '../object/object.ts';
import { decide } from '../policy/decide.ts';
import type { ImageLook } from '../policy/image-look.ts';
import { imageProperties, judgeVolume } from '../policy/judge-volume.ts';
import type { Outcome } from '../policy/outcome.ts';
import { bytesOf } from '../quantity/parse.ts';
import { readVolumes } from '../volume/read.ts';
import type { Volume, VolumeOutcome } from '../volume/volume.ts';
import { labelOf, referenceOf } from './subject.ts';
import type { Review, World } from './world.ts';

const POLICY = 'volume-size';

function passed(volume: Volume, look: ImageLook, label: string): Outcome {
  const facts = look.kind === 'image' ? imageProperties(look.facts, look.storedSize) : {};
  return {
    kind: 'pass',
    policy: POLICY,
    rule: POLICY,
    field: volume.field,
    message: `${label}: ${volume.field} asks for ${volume.requested.text}, which fits its image`,
    warning: null,
    properties: {
      requested: volume.requested.text,
      requestedBytes: String(bytesOf(volume.requested)),
      base: volume.base.because,
      ...facts,
    },
  };
}

async function judgeOne(
  outcome: VolumeOutcome,
  review: Review,
  reference: ObjectReference,
  world: World,
  signal: AbortSignal,
): Promise<Outcome[]> {
  const label = labelOf(reference);
  if (outcome.kind === 'skip')
    return [
      {
        kind: 'skip',
        policy: POLICY,
        rule: POLICY,
        field: outcome.field,
        message: `${label}: not judged: ${outcome.reason}`,
        warning: null,
        properties: { reason: outcome.code },
      },
    ];
  const { volume } = outcome;
  const look = await world.look(volume.source, signal);
  const findings = judgeVolume(volume, look, world.settings.sizeLimits, label);
  const decided = decide(findings, review.object, reference, world.settings.decisions, world.now);
  return decided.length === 0
    ? [passed(volume, look, label)]
    : decided.map((finding) => ({ kind: 'finding', ...finding }));
}

/** Every volume that the object asks for, held against its image. Empty where it asks for none. Answers by `signal`'s end. */
export async function judgeVolumes(review: Review, world: World, signal: AbortSignal): Promise<Outcome[]> {
  const { virtualMachines } = world.settings.configuration.volumeSize;
  const reference = referenceOf(review);
  if (reference.kind === 'VirtualMachine' && !virtualMachines) return [];
  const volumes =
    readVolumes(review.object, review.oldObject, review.operation, world.storage, world.findImportSource) ??
    [];
  const judged = await Promise.all(
    volumes.map((volume) => judgeOne(volume, review, reference, world, signal)),
  );
  return judged.flat();
}
