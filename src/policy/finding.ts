/** What to do about a finding. `info` is told and never counted against the object; `off` drops it. */
export type Action = 'deny' | 'warn' | 'info' | 'audit' | 'off';

export type VolumeRule =
  | 'too-small'
  | 'tight'
  | 'oversized'
  | 'unusable-image'
  | 'unknown-image'
  | 'host-assisted';
export type PolicyName = 'volume-size' | 'memory-floor';
export type Severity = 'critical' | 'high' | 'medium' | 'low' | 'info';

/** One thing found about one object. */
export interface Finding {
  readonly policy: PolicyName;
  /** A stable code: a VolumeRule, or the name of a floor's target. */
  readonly rule: string;
  /** Path in the object. */
  readonly field: string;
  /** One line, complete in itself, without anything that the requester could not know already. */
  readonly message: string;
  readonly severity: Severity;
  /** Whether clones of the volume will be copied through pods: what `byCloneStrategy` asks. */
  readonly hostAssisted: boolean;
  /** Facts for machines; values are strings. */
  readonly properties: Readonly<Record<string, string>>;
}
