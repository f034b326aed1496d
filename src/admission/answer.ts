import type { DecidedFinding } from '../policy/decide.ts';
import { denials, type Outcome, warnings } from '../policy/outcome.ts';
import { ALLOWED, type Answer } from './review.ts';

/** Properties that the audit log gets of each finding. */
const AUDITED = [
  'requested',
  'virtualSize',
  'storedSize',
  'allocatedSize',
  'limit',
  'floor',
  'density',
] as const;

/** Keys become `<webhook>/<key>` in the audit log and have to be qualified names: rule codes are. */
function audit(outcomes: readonly Outcome[]): Record<string, string> {
  return Object.fromEntries(
    outcomes.flatMap((outcome) => {
      if (outcome.kind !== 'finding') return [];
      const { finding, action, exemption } = outcome;
      const facts = AUDITED.flatMap((name) =>
        finding.properties[name] === undefined ? [] : [`${name}=${finding.properties[name]}`],
      );
      const verdict = exemption === null ? action : `exempt (${exemption.reason})`;
      return [[finding.rule, [verdict, ...facts].join(' ')]];
    }),
  );
}

/** A VirtualMachine may declare thousands of volumes, and nobody reads as many reasons. */
const MAX_TOLD = 10;

function reasonFor(denied: readonly DecidedFinding[]): string {
  const told = denied.slice(0, MAX_TOLD).map(({ finding }) => finding.message);
  const left = denied.length - told.length;
  return [...told, ...(left > 0 ? [`And ${left} more such findings in this object.`] : [])].join(' ');
}

/** The answer of a validating webhook. Denials are told at once, as many as can be read, each complete in itself. */
export function answerValidation(outcomes: readonly Outcome[]): Answer {
  const denied = denials(outcomes);
  return {
    ...ALLOWED,
    allowed: denied.length === 0,
    denial: denied.length === 0 ? null : { code: 403, message: reasonFor(denied) },
    warnings: warnings(outcomes),
    auditAnnotations: audit(outcomes),
  };
}

/** The answer of a mutating webhook: it never denies. */
export function answerMutation(outcomes: readonly Outcome[], patch: readonly object[]): Answer {
  return { ...ALLOWED, warnings: warnings(outcomes), patch, auditAnnotations: audit(outcomes) };
}
