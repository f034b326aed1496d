import type { DensityStatistic } from '../density/density.ts';
import type { multusCurves } from '../floor/curve.ts';
import type { DaemonMatch } from '../floor/daemon-row.ts';
import type { FloorAction, FloorBurst, RequestRule } from '../floor/floor.ts';
import type { ConfiguredAction } from '../policy/decide.ts';
import type { VolumeRule } from '../policy/finding.ts';

/** The configuration file as written, defaults filled in by schema.ts; quantities and dates are still text. */
export interface Configuration {
  readonly apiVersion: 'plimsoll.dev/v1alpha1';
  readonly kind: 'Configuration';
  readonly listen: { readonly host: string; readonly port: number; readonly healthPort: number };
  readonly cluster: {
    readonly enabled: boolean;
    readonly namespace: string;
    readonly pollSeconds: number;
    readonly multusNamespaces: readonly string[];
  };
  readonly tls: {
    readonly mode: 'files' | 'selfManaged';
    readonly service: string;
    readonly secret: string;
    readonly authorityDays: number;
    readonly leafDays: number;
    readonly pollSeconds: number;
    readonly webhookConfiguration: string;
    readonly certFile: string;
    readonly keyFile: string;
    readonly clientCAFile?: string;
    readonly clientNames: readonly string[];
  };
  readonly volumeSize: {
    readonly preset: 'default' | 'lenient';
    readonly maxTimesVirtual: number;
    readonly maxTimesData: number;
    readonly allowance?: string | number;
    readonly actions: Readonly<Record<VolumeRule, ConfiguredAction>>;
    readonly overheadFormula: 'multiply' | 'divide' | 'unknown';
    readonly virtualMachines: boolean;
    readonly importClaims: boolean;
  };
  readonly probe: {
    readonly addresses: {
      readonly mode: 'off' | 'public' | 'allowlist' | 'any';
      readonly allow: readonly string[];
    };
    readonly timeoutMilliseconds: number;
    readonly connectTimeoutMilliseconds: number;
    readonly idleTimeoutMilliseconds: number;
    readonly maxRequests: number;
    readonly maxBytes: string | number;
    readonly registryMaxBytes: string | number;
    readonly maxRedirects: number;
    readonly concurrency: number;
    readonly concurrencyPerHost: number;
    readonly queue: number;
    readonly cache: {
      readonly entries: number;
      readonly ttlSeconds: number;
      readonly failureTtlSeconds: number;
    };
    readonly proxy?: string;
  };
  readonly memoryFloor: {
    readonly density: {
      readonly statistic: DensityStatistic;
      readonly pods?: number;
      readonly minimum: number;
    };
    readonly stickyPercent: number;
    readonly reconcile: 'off' | 'patch';
    readonly targets: {
      readonly multus: ConfiguredWorkload & {
        readonly delegate: keyof typeof multusCurves;
        readonly burst: FloorBurst;
      };
      readonly cdi: ConfiguredTarget;
      readonly hyperconverged: ConfiguredTarget;
    };
    readonly additional: readonly AdditionalTarget[];
  };
  readonly exemptions: readonly ConfiguredExemption[];
  readonly exemptionAnnotation: { readonly namespaces: readonly string[] };
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent' };
}

export interface ConfiguredCurve {
  readonly base?: string | number;
  readonly perPod?: string | number;
  readonly step?: string | number;
  readonly min?: string | number;
  readonly max?: string | number;
}

export interface ConfiguredTarget {
  readonly enabled: boolean;
  readonly curve: ConfiguredCurve;
  readonly requests: RequestRule;
  readonly action: FloorAction;
}

/** A target with containers, any of which may lack a limit. */
export interface ConfiguredWorkload extends ConfiguredTarget {
  readonly addMissing: boolean;
  readonly initLimits: boolean;
}

/** A daemon of the user's own that grows with density. */
export interface AdditionalTarget extends ConfiguredWorkload {
  readonly name: string;
  readonly match: DaemonMatch;
}

export interface ConfiguredExemption {
  readonly namespaces?: readonly string[];
  readonly names?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules?: readonly string[];
  readonly reason: string;
  readonly expires?: string;
}
