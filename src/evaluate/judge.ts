import type { Outcome } from '../policy/outcome.ts';
import { judgeMemory } from './floors.ts';
import { judgeVolumes } from './volumes.ts';
import type { Review, World } from './world.ts';

/** Everything that Plimsoll says of one object, as both webhooks together would. Empty where it is none of its business. */
export async function judgeObject(review: Review, world: World, signal: AbortSignal): Promise<Outcome[]> {
  return [...(await judgeVolumes(review, world, signal)), ...judgeMemory(review, world).outcomes];
}
