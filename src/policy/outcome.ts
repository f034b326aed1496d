import type { DecidedFinding } from './decide.ts';
import type { PolicyName } from './finding.ts';

/** What holding one rule against one object came to; every judged object has at least one. */
export type Outcome =
  | ({ readonly kind: 'finding' } & DecidedFinding)
  | ({ readonly kind: 'pass' | 'skip' } & PlainOutcome);

/** Nothing found (`pass`), or not held against it at all (`skip`). */
export interface PlainOutcome {
  readonly policy: PolicyName;
  /** The policy's name for volumes, the target's for floors. */
  readonly rule: string;
  readonly field: string;
  readonly message: string;
  /** To be told to whoever wrote the object, though nothing is denied; null: nothing to tell. */
  readonly warning: string | null;
  readonly properties: Readonly<Record<string, string>>;
}

/** Findings that deny, exemptions taken into account. */
export function denials(outcomes: readonly Outcome[]): DecidedFinding[] {
  return outcomes.filter(
    (outcome) => outcome.kind === 'finding' && outcome.action === 'deny' && outcome.exemption === null,
  ) as DecidedFinding[];
}

/** What the API server shows to whoever wrote the object although it lets it pass. */
export function warnings(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.kind !== 'finding') return outcome.warning ?? [];
    if (outcome.exemption !== null) return [];
    return outcome.action === 'warn' || outcome.action === 'info' ? [outcome.finding.message] : [];
  });
}
