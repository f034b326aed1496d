import type { DensityStatistic } from '../density/density.ts';
import { builtInTargets } from '../floor/catalogue.ts';
import { defaultCurves, multusCurves } from '../floor/curve.ts';
import { targetOf } from '../floor/daemon-row.ts';
import type { Curve, FloorBurst, FloorSettings, FloorTarget } from '../floor/floor.ts';
import type { DecisionSettings } from '../policy/decide.ts';
import type { Exemption } from '../policy/exemption.ts';
import type { PolicyName } from '../policy/finding.ts';
import type { SizeLimits } from '../policy/size-limits.ts';
import { bytesOf, parseQuantity } from '../quantity/parse.ts';
import type { OverheadFormula } from '../volume/volume.ts';
import type {
  Configuration,
  ConfiguredCurve,
  ConfiguredExemption,
  ConfiguredTarget,
  ConfiguredWorkload,
} from './configuration.ts';
import { ConfigurationError } from './parse.ts';
import { type Environment, type ProxyFor, proxiesOf } from './proxy.ts';

/** A configuration as the rest of the program uses it: sizes are bytes, dates milliseconds since the epoch. */
export interface Settings {
  readonly configuration: Configuration;
  readonly sizeLimits: SizeLimits;
  /** Null: not known. */
  readonly overheadFormula: OverheadFormula | null;
  readonly decisions: DecisionSettings;
  readonly floorTargets: readonly FloorTarget[];
  /** By target; a target without a row is off. */
  readonly floorSettings: ReadonlyMap<string, FloorSettings>;
  readonly density: {
    readonly statistic: DensityStatistic;
    readonly fixed: number | null;
    readonly minimum: number;
  };
  readonly stickyPercent: number;
  /** Bytes that one look at an image may read. */
  readonly maxBytes: number;
  readonly proxyFor: ProxyFor;
  readonly registryMaxBytes: number;
}

const ALLOWANCES = { default: '10Gi', lenient: '20Gi' } as const;
const POLICIES: readonly PolicyName[] = ['volume-size', 'memory-floor'];
/** More than one look could ever need; keeps the number small enough to be a JavaScript one. */
const MAX_LOOK_BYTES = 1n << 30n;

/** Collects what is wrong while values are read, so that all of it is told at once. */
class Reader {
  readonly problems: string[] = [];

  bytes(path: string, value: string | number): bigint {
    const parsed = parseQuantity(value);
    if (parsed.ok && bytesOf(parsed.quantity) >= 0n) return bytesOf(parsed.quantity);
    this.problems.push(`${path}: ${parsed.ok ? 'must not be negative' : parsed.reason}`);
    return 0n;
  }

  curve(path: string, configured: ConfiguredCurve, byDefault: Curve): Curve {
    const curve = { ...byDefault };
    for (const name of ['base', 'perPod', 'step', 'min', 'max'] as const) {
      const value = configured[name];
      if (value !== undefined) curve[name] = this.bytes(`${path}.${name}`, value);
    }
    if (curve.step < 1n) this.problems.push(`${path}.step: must be at least 1`);
    if (curve.min > curve.max) this.problems.push(`${path}: min is greater than max`);
    return curve;
  }

  time(path: string, text: string): number {
    const [, date] =
      /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? [];
    const time = date === undefined ? Number.NaN : Date.parse(text);
    // JavaScript takes the 31st of February for the 3rd of March.
    const isDay = !Number.isNaN(time) && new Date(Date.parse(date!)).toISOString().startsWith(date!);
    if (!isDay) this.problems.push(`${path}: must be a date (2027-01-31) or a time with its zone (RFC 3339)`);
    return time;
  }
}

/** Factors are written as decimals; three places are kept, exactly. */
const thousandths = (factor: number) => BigInt(Math.round(factor * 1000));

function exemption(reader: Reader, configured: ConfiguredExemption, index: number): Exemption {
  return {
    namespaces: configured.namespaces ?? null,
    names: configured.names ?? null,
    labels: configured.labels ?? null,
    rules: configured.rules ?? null,
    reason: configured.reason,
    expires:
      configured.expires === undefined
        ? null
        : reader.time(`exemptions.${index}.expires`, configured.expires),
  };
}

function floorSettings(
  target: ConfiguredTarget | ConfiguredWorkload,
  curve: Curve,
  burst: FloorBurst,
): FloorSettings {
  // A custom resource has no containers: CDI's default stands for a limit that is missing.
  const { requests, addMissing, initLimits, action } = { addMissing: false, initLimits: false, ...target };
  return { curve, requests, addMissing, initLimits, action, burst };
}

function floors(reader: Reader, { memoryFloor: { targets, additional }, volumeSize }: Configuration) {
  // Exemptions and actions go by one name, whichever policy a rule is of.
  const taken = new Set([...Object.keys(targets), ...Object.keys(volumeSize.actions)]);
  const settings = new Map<string, FloorSettings>();
  for (const name of ['multus', 'cdi', 'hyperconverged'] as const) {
    const byDefault = name === 'multus' ? multusCurves[targets.multus.delegate] : defaultCurves[name];
    const curve = reader.curve(`memoryFloor.targets.${name}.curve`, targets[name].curve, byDefault);
    const burst = name === 'multus' ? targets.multus.burst : 'density';
    if (targets[name].enabled) settings.set(name, floorSettings(targets[name], curve, burst));
  }
  const rows = additional.map((row, index) => {
    const path = `memoryFloor.additional.${index}`;
    if (taken.has(row.name)) reader.problems.push(`${path}.name: ${row.name} is taken`);
    taken.add(row.name);
    const curve = reader.curve(`${path}.curve`, row.curve, defaultCurves.multus);
    if (row.enabled) settings.set(row.name, floorSettings(row, curve, 'density'));
    return targetOf(row);
  });
  return { floorTargets: [...builtInTargets, ...rows], floorSettings: settings };
}

/** A rule that is misspelt would exempt nothing, and nobody would be told. */
function checkExemptedRules(reader: Reader, { exemptions, volumeSize, memoryFloor }: Configuration): void {
  const { targets, additional } = memoryFloor;
  const rules = new Set<string>([...POLICIES, ...Object.keys(volumeSize.actions), ...Object.keys(targets)]);
  for (const { name } of additional) rules.add(name);
  for (const [index, row] of exemptions.entries())
    for (const rule of row.rules ?? [])
      if (!rules.has(rule)) reader.problems.push(`exemptions.${index}.rules: there is no rule ${rule}`);
}

/** Throws ConfigurationError with everything that the schema can't tell: quantities, dates, what contradicts itself. */
export function settingsOf(configuration: Configuration, environment: Environment = {}): Settings {
  const reader = new Reader();
  const { volumeSize, probe, memoryFloor } = configuration;
  const { statistic, pods, minimum } = memoryFloor.density;
  if (statistic === 'fixed' && pods === undefined)
    reader.problems.push('memoryFloor.density.pods: is required by statistic fixed');
  if (configuration.tls.mode === 'selfManaged' && !configuration.cluster.enabled)
    reader.problems.push('tls.mode: selfManaged needs cluster.enabled');
  if (memoryFloor.reconcile === 'patch' && !configuration.cluster.enabled)
    reader.problems.push('memoryFloor.reconcile: patch needs cluster.enabled');
  const lookBytes = (name: 'maxBytes' | 'registryMaxBytes') => {
    const bytes = reader.bytes(`probe.${name}`, probe[name]);
    if (bytes > MAX_LOOK_BYTES) reader.problems.push(`probe.${name}: must not be more than 1Gi`);
    return Number(bytes);
  };
  checkExemptedRules(reader, configuration);
  const settings: Settings = {
    configuration,
    sizeLimits: {
      maxThousandthsOfVirtual: thousandths(volumeSize.maxTimesVirtual),
      maxThousandthsOfData: thousandths(volumeSize.maxTimesData),
      allowance: reader.bytes('volumeSize.allowance', volumeSize.allowance ?? ALLOWANCES[volumeSize.preset]),
    },
    overheadFormula: volumeSize.overheadFormula === 'unknown' ? null : volumeSize.overheadFormula,
    decisions: {
      actions: { ...volumeSize.actions, ...floorActions(configuration) },
      exemptions: configuration.exemptions.map((row, index) => exemption(reader, row, index)),
      annotationNamespaces: configuration.exemptionAnnotation.namespaces,
    },
    ...floors(reader, configuration),
    density: { statistic, fixed: pods ?? null, minimum },
    stickyPercent: memoryFloor.stickyPercent,
    maxBytes: lookBytes('maxBytes'),
    proxyFor: proxiesOf(probe.proxy, environment),
    registryMaxBytes: lookBytes('registryMaxBytes'),
  };
  if (reader.problems.length > 0) throw new ConfigurationError(reader.problems);
  return settings;
}

/** A floor that is mutated is told as a warning: what was written is not what will be stored. */
function floorActions({ memoryFloor: { targets, additional } }: Configuration): DecisionSettings['actions'] {
  const rows = [...Object.entries(targets), ...additional.map((row) => [row.name, row] as const)];
  return Object.fromEntries(rows.map(([name, { action }]) => [name, action === 'mutate' ? 'warn' : action]));
}
