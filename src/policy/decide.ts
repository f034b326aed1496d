import type { JsonObject, ObjectReference } from '../object/object.ts';
import { type Exemption, exemptionFor } from './exemption.ts';
import type { Action, Finding } from './finding.ts';

/** `byCloneStrategy` denies where clones will be host-assisted and warns elsewhere. */
export type ConfiguredAction = Action | 'byCloneStrategy';

/** How findings become a verdict. */
export interface DecisionSettings {
  /** By rule; rules without a row are as their finding's default says. */
  readonly actions: Readonly<Record<string, ConfiguredAction>>;
  readonly exemptions: readonly Exemption[];
  /** Namespaces whose objects may exempt themselves by annotation; patterns. */
  readonly annotationNamespaces: readonly string[];
}

/** A finding with what is to be done about it. */
export interface DecidedFinding {
  readonly finding: Finding;
  readonly action: Action;
  /** Why it is let pass although found; null where it is not exempt. */
  readonly exemption: Exemption | null;
}

/**
 * Applies actions and exemptions, once, after everything is known. `now` in milliseconds since the epoch.
 * A rule that no row names is warned about: a finding that nobody configured must not be lost, nor deny.
 */
export function decide(
  findings: readonly Finding[],
  object: JsonObject,
  reference: ObjectReference,
  settings: DecisionSettings,
  now: number,
): DecidedFinding[] {
  return findings.flatMap((finding) => {
    const action = actionFor(finding, settings.actions[finding.rule] ?? 'warn');
    if (action === 'off') return [];
    const { policy, rule } = finding;
    const exemption = exemptionFor(
      { object, reference, policy, rule },
      settings.exemptions,
      settings.annotationNamespaces,
      now,
    );
    return [{ finding, action, exemption }];
  });
}

function actionFor(finding: Finding, configured: ConfiguredAction): Action {
  if (configured !== 'byCloneStrategy') return configured;
  return finding.hostAssisted ? 'deny' : 'warn';
}
