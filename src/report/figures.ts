import { digest } from './digest.ts';
import { resourceLabel } from './grouping.ts';
import type { Report, ReportResult, ResultKind } from './model.ts';
import { BY_SERIOUSNESS } from './summary.ts';

/** What is known of one volume's sizes, for drawing. Sizes are bytes; null is unknown. */
export interface VolumeFigure {
  readonly label: string;
  /** The worst of its results. */
  readonly result: ResultKind;
  readonly requested: bigint;
  readonly requestedText: string;
  readonly virtualSize: bigint | null;
  /** Allocated size where known, else stored size. */
  readonly data: bigint | null;
  readonly acceptedFrom: bigint | null;
  /** Null: no upper bound. */
  readonly acceptedTo: bigint | null;
  readonly suggested: string | null;
  readonly format: string | null;
}

/** One limit held against a floor's curve. */
export interface LimitFigure {
  readonly label: string;
  readonly field: string;
  readonly result: ResultKind;
  /** Bytes; null where no limit is set, or it is not known. */
  readonly limit: bigint | null;
  readonly limitText: string | null;
  readonly floorText: string | null;
}

/** Properties are texts that anybody may have written into a report: at most 19 digits, as an int64 has. */
export function bytesOfProperty(text: string | undefined): bigint | null {
  return text !== undefined && /^[0-9]{1,19}$/.test(text) ? BigInt(text) : null;
}

/** The volumes whose request is known along with something of their image; what needs a person comes first. */
export function volumeFigures(report: Report): VolumeFigure[] {
  const byVolume = new Map<string, ReportResult[]>();
  for (const result of report.results.filter(({ policy }) => policy === 'volume-size')) {
    const { apiVersion, uid } = result.resource;
    const key = digest(
      apiVersion,
      resourceLabel(result.resource),
      uid,
      result.file ?? '',
      String(result.line),
    );
    const results = byVolume.get(key);
    if (results) results.push(result);
    else byVolume.set(key, [result]);
  }
  const figures = [...byVolume.values()].flatMap((results) => volumeFigure(results) ?? []);
  return BY_SERIOUSNESS.flatMap((kind) => figures.filter(({ result }) => result === kind));
}

function volumeFigure(results: readonly ReportResult[]): VolumeFigure | null {
  const properties = Object.assign({}, ...results.map(({ properties }) => properties)) as Record<
    string,
    string
  >;
  const bytes = (name: string) => bytesOfProperty(properties[name]);
  const requested = bytes('requestedBytes');
  const virtualSize = bytes('virtualSize');
  const data = bytes('allocatedSize') ?? bytes('storedSize');
  if (requested === null || (virtualSize === null && data === null)) return null;
  return {
    label: resourceLabel(results[0]!.resource),
    result: worstOf(results),
    requested,
    requestedText: properties.requested ?? String(requested),
    virtualSize,
    data,
    acceptedFrom: bytes('acceptedFrom'),
    acceptedTo: bytes('acceptedTo'),
    suggested: properties.suggested ?? null,
    format: properties.format ?? null,
  };
}

function worstOf(results: readonly ReportResult[]): ResultKind {
  return BY_SERIOUSNESS.find((kind) => results.some(({ result }) => result === kind))!;
}

/** The limits that were held against the curve of `target`. */
export function limitFigures(report: Report, target: string): LimitFigure[] {
  return report.results
    .filter(({ policy, rule }) => policy === 'memory-floor' && rule === target)
    .map(({ resource, field, result, properties }) => ({
      label: resourceLabel(resource),
      field,
      result,
      limit: bytesOfProperty(properties.limitBytes),
      limitText: properties.limit ?? null,
      floorText: properties.floor ?? null,
    }));
}

/** `part / whole` for drawing, within 0 and 1, to a ten-thousandth. */
export function share(part: bigint, whole: bigint): number {
  if (whole <= 0n || part <= 0n) return 0;
  return part >= whole ? 1 : Number((part * 10_000n) / whole) / 10_000;
}

/** 0 for none. */
export function greatestOf(sizes: readonly bigint[]): bigint {
  let greatest = 0n;
  for (const size of sizes) if (size > greatest) greatest = size;
  return greatest;
}
