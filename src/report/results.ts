import type { ObjectReference } from '../object/object.ts';
import type { DecidedFinding } from '../policy/decide.ts';
import type { Outcome } from '../policy/outcome.ts';
import type { ReportResult, ResultKind } from './model.ts';

/** Where an object was read from; nulls for the cluster. */
export interface Place {
  readonly file: string | null;
  readonly line: number | null;
}

/** `error` is what could not be evaluated; a warning of any weight is `warn`; what is only for the audit log passes. */
function kindOf({ finding, action, exemption }: DecidedFinding): ResultKind {
  if (exemption !== null) return 'skip';
  if (action === 'deny') return 'fail';
  if (finding.rule === 'unknown-image') return 'error';
  return action === 'audit' ? 'pass' : 'warn';
}

function exemptionProperties({ exemption }: DecidedFinding): Record<string, string> {
  if (exemption === null) return {};
  const expires = exemption.expires === null ? {} : { expires: new Date(exemption.expires).toISOString() };
  return { exempted: exemption.reason, ...expires };
}

/** What was found of one object, as lines of a report. */
export function resultsOf(
  outcomes: readonly Outcome[],
  resource: ObjectReference,
  place: Place,
): ReportResult[] {
  return outcomes.map((outcome) => {
    if (outcome.kind !== 'finding') {
      const { policy, rule, field, message, properties, kind } = outcome;
      const isTold = outcome.warning !== null;
      return {
        policy,
        rule,
        result: isTold ? 'warn' : kind,
        severity: isTold ? 'medium' : 'info',
        resource,
        field,
        message: outcome.warning ?? message,
        properties,
        ...place,
      };
    }
    const { policy, rule, field, message, severity, properties } = outcome.finding;
    return {
      policy,
      rule,
      result: kindOf(outcome),
      severity,
      resource,
      field,
      message,
      properties: { ...properties, ...exemptionProperties(outcome) },
      ...place,
    };
  });
}
