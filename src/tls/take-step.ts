import { issueAuthority, issueServing, type KeyPair, type Randomness } from './authority.ts';
import type { Keeping, RotationStep } from './rotation.ts';

export interface Lives {
  readonly authorityDays: number;
  readonly leafDays: number;
}

export interface StepContext extends Randomness {
  readonly now: Date;
  /** What the leaf is for. */
  readonly names: readonly string[];
  readonly lives: Lives;
}

const COMMON_NAME = 'plimsoll CA';

/** What is to be kept after a step; null where the step changes nothing that is kept (`publish`, `rest`). */
export async function takeStep(
  kept: Keeping | null,
  step: RotationStep,
  { lives, names, ...made }: StepContext,
): Promise<Keeping | null> {
  const makeAuthority = () =>
    issueAuthority({ commonName: COMMON_NAME, validForDays: lives.authorityDays, ...made });
  const sign = (authority: KeyPair) =>
    issueServing(authority, { names, validForDays: lives.leafDays, ...made });
  if (step.kind === 'create') {
    const authority = await makeAuthority();
    return { authority, leaf: await sign(authority), next: null, old: step.old };
  }
  if (kept === null) return null;
  switch (step.kind) {
    case 'renew-leaf':
      return { ...kept, leaf: await sign(kept.authority) };
    case 'drop-old':
      return { ...kept, old: null };
    case 'make-next':
      return { ...kept, next: await makeAuthority() };
    case 'switch':
      if (kept.next === null) return null;
      return {
        authority: kept.next,
        leaf: await sign(kept.next),
        next: null,
        old: kept.authority.certificatePem,
      };
    case 'publish':
    case 'rest':
      return null;
  }
}
