import { issueAuthority, issueServing, type KeyPair } from './authority.ts';
import type { Keeping, RotationStep } from './rotation.ts';

export interface Lives {
  readonly authorityDays: number;
  readonly leafDays: number;
}

const COMMON_NAME = 'plimsoll CA';

/** What is to be kept after a step; null where the step changes nothing that is kept (`publish`, `rest`). */
export async function takeStep(
  kept: Keeping | null,
  step: RotationStep,
  { now, names, lives }: { readonly now: Date; readonly names: readonly string[]; readonly lives: Lives },
): Promise<Keeping | null> {
  const makeAuthority = () =>
    issueAuthority({ commonName: COMMON_NAME, validForDays: lives.authorityDays, now });
  const sign = (authority: KeyPair) => issueServing(authority, { names, validForDays: lives.leafDays, now });
  const leafIssuedAt = now.getTime();
  switch (step.kind) {
    case 'create': {
      const authority = await makeAuthority();
      return { authority, leaf: await sign(authority), leafIssuedAt, next: null, old: null };
    }
    case 'make-next':
      return kept && { ...kept, next: await makeAuthority() };
    case 'switch': {
      if (!kept?.next) return null;
      const { authority, next } = kept;
      return {
        authority: next,
        leaf: await sign(next),
        leafIssuedAt,
        next: null,
        old: authority.certificatePem,
      };
    }
    case 'renew-leaf':
      return kept && { ...kept, leaf: await sign(kept.authority), leafIssuedAt };
    case 'drop-old':
      return kept && { ...kept, old: null };
    case 'publish':
    case 'rest':
      return null;
  }
}
