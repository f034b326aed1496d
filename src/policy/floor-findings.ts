import type { Density } from '../density/density.ts';
import type { FloorCheck, FloorOutcome } from '../floor/floor.ts';
import { formatQuantity } from '../quantity/format.ts';
import type { Finding } from './finding.ts';

function describeCheck(check: FloorCheck, density: Density, isMutated: boolean, isKept: boolean): string {
  const has = check.limit === null ? 'is not set' : `is ${check.limit.text}`;
  const floor = `the floor of ${formatQuantity(check.floor)} for ${density.pods} pods on a node`;
  const because = check.because === null ? '' : ` (${check.because})`;
  const cure = check.wanted === null ? '' : `; ${isMutated ? 'raised to' : 'write'} ${check.wanted}`;
  return isKept
    ? `${check.field} ${has}, below what is stored; ${check.wanted} is kept${because}`
    : `${check.field} ${has}${because}, below ${floor}${cure}`;
}

/** What the floors find wrong with one object. `subject` names it as people do; checks that hold give nothing. */
export function floorFindings(outcome: FloorOutcome, density: Density, subject: string): Finding[] {
  if (outcome.kind === 'skip') return [];
  return outcome.checks
    .filter((check) => check.state === 'below' || (check.state === 'kept' && check.operations.length > 0))
    .map((check) => {
      // Where nothing is mutated, nothing is kept either: what was written is what would be stored.
      const isMutated = outcome.action === 'mutate';
      const isKept = check.state === 'kept' && isMutated;
      return {
        policy: 'memory-floor',
        rule: check.target,
        field: check.field,
        message: `${subject}: ${describeCheck(check, density, isMutated, isKept)}`,
        severity: isKept ? 'info' : 'high',
        hostAssisted: false,
        properties: floorProperties(check, density),
      };
    });
}

/** A check in figures, for reports and audit. */
export function floorProperties(check: FloorCheck, density: Density): Record<string, string> {
  return {
    ...(check.limit === null ? {} : { limit: check.limit.text, limitBytes: String(check.limit.bytes) }),
    floor: formatQuantity(check.floor),
    floorBytes: String(check.floor),
    density: String(density.pods),
    densityOrigin: density.origin,
    ...(check.wanted === null ? {} : { wanted: check.wanted }),
    ...(check.notes.length === 0 ? {} : { notes: check.notes.join('; ') }),
  };
}
