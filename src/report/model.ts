import type { ObjectReference } from '../object/object.ts';
import type { PolicyName, Severity } from '../policy/finding.ts';

export type ResultKind = 'pass' | 'fail' | 'warn' | 'error' | 'skip';

/** One line of a report: one rule held against one object. */
export interface ReportResult {
  readonly policy: PolicyName;
  /** The finding's code; for pass and skip of a volume `volume-size`, for floors the target. */
  readonly rule: string;
  readonly result: ResultKind;
  readonly severity: Severity;
  readonly resource: ObjectReference;
  /** Path in the object; empty where none applies. */
  readonly field: string;
  readonly message: string;
  readonly properties: Readonly<Record<string, string>>;
  /** Where the object was read from; null for the cluster. Lines count from 1. */
  readonly file: string | null;
  readonly line: number | null;
}

export interface Report {
  readonly summary: Readonly<Record<ResultKind, number>>;
  readonly results: readonly ReportResult[];
  /** What it was held against, for the formats that draw it. */
  readonly density: { readonly pods: number; readonly origin: string };
  readonly curves: readonly {
    readonly target: string;
    readonly points: readonly { readonly pods: number; readonly bytes: bigint }[];
  }[];
  /** Files and documents that are no Kubernetes objects. */
  readonly ignored: number;
}

/** What a format may know of the world besides the report. */
export interface RenderOptions {
  readonly color: boolean;
  readonly version: string;
  /** RFC 3339. */
  readonly at: string;
  /** Columns of the terminal; null where there is none. */
  readonly width: number | null;
}

export interface ReportFormat {
  readonly name: string;
  readonly render: (report: Report, options: RenderOptions) => string;
}

export function summarize(results: readonly ReportResult[]): Report['summary'] {
  const summary = { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };
  for (const { result } of results) summary[result] += 1;
  return summary;
}
