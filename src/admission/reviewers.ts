import { judgeMemory } from '../evaluate/floors.ts';
import { judgeVolumes } from '../evaluate/volumes.ts';
import type { Review, World } from '../evaluate/world.ts';
import type { Outcome } from '../policy/outcome.ts';
import { answerMutation, answerValidation } from './answer.ts';
import { type AdmissionRequest, ALLOWED } from './review.ts';
import type { Reviewer } from './webhook.ts';

/** Told of what was found, for the metrics; `contended` are targets whose stored limit somebody wrote lower again. */
export type Observe = (outcomes: readonly Outcome[], contended: readonly string[]) => void;

/** Null: nothing to judge (DELETE, CONNECT, or an object that is missing). */
function reviewOf({ operation, object, oldObject, namespace }: AdmissionRequest): Review | null {
  if (object === null || (operation !== 'CREATE' && operation !== 'UPDATE')) return null;
  return { operation, object, oldObject, namespace };
}

/** What `/validate` asks: volumes, and the floors that are not mutated. */
export function validatingReviewer(world: () => World, observe: Observe): Reviewer {
  return async (request, signal) => {
    const review = reviewOf(request);
    if (review === null) return ALLOWED;
    const now = world();
    const outcomes = [
      ...(await judgeVolumes(review, now, signal)),
      ...judgeMemory(review, now, (action) => action !== 'mutate').outcomes,
    ];
    observe(outcomes, []);
    return answerValidation(outcomes);
  };
}

/** What `/mutate` asks: the floors that are mutated. */
export function mutatingReviewer(world: () => World, observe: Observe): Reviewer {
  return (request) => {
    const review = reviewOf(request);
    if (review === null) return ALLOWED;
    const { outcomes, operations, contended } = judgeMemory(review, world(), (action) => action === 'mutate');
    // A dry run writes nothing.
    observe(outcomes, request.dryRun ? [] : contended);
    return answerMutation(outcomes, operations);
  };
}
