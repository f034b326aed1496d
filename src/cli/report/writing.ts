import { createHash } from 'node:crypto';
import type { KubeApi } from '../../kube/api.ts';
import type { Pass } from '../../kube/clock.ts';
import {
  HASH_ANNOTATION,
  type ReportResources,
  type SyncCounts,
  servedReports,
  syncReports,
} from '../../kube/policy-reports.ts';
import { identify } from '../../object/object.ts';
import type { RenderOptions, Report, ResultKind } from '../../report/model.ts';
import { objectReports, type ReportApi } from '../../report/objectreports.ts';
import { OPEN_REPORT } from '../../report/openreports.ts';
import { POLICY_REPORT } from '../../report/policyreport.ts';
import { printableReport } from '../../report/printable.ts';
import type { ClusterInputs } from './cluster.ts';

type WritableApi = ReportApi & ReportResources;

/** In the order in which they are looked for: most viewers know the first alone. */
const APIS: Readonly<Record<string, WritableApi>> = {
  policyreports: { ...POLICY_REPORT, plural: 'policyreports', clusterPlural: 'clusterpolicyreports' },
  openreports: { ...OPEN_REPORT, plural: 'reports', clusterPlural: 'clusterreports' },
};

/** What can follow --write. */
export const WRITE_CHOICES = ['auto', ...Object.keys(APIS)];

/** Passes and skips would be a report for every object of the cluster, which nobody reads. */
const WRITTEN: ReadonlySet<ResultKind> = new Set(['fail', 'warn', 'error']);

/** The cluster takes no reports of the kind that was asked for. */
export class ReportApiError extends Error {
  readonly code = 'no-report-api';

  constructor(wanted: readonly WritableApi[]) {
    const kinds = wanted.map(({ kind, apiVersion }) => `${kind} of ${apiVersion}`).join(' nor ');
    super(`the cluster serves no ${kinds}: install its CRDs, which Plimsoll does not bring`);
    this.name = 'ReportApiError';
  }
}

/** The API that `choice` means. Throws ReportApiError where the cluster does not serve it, KubeError where it cannot be asked. */
export async function chooseReportApi(api: KubeApi, choice: string, pass: Pass): Promise<WritableApi> {
  const wanted = Object.entries(APIS).flatMap(([name, one]) =>
    choice === 'auto' || choice === name ? [one] : [],
  );
  const served = await servedReports(api, wanted, pass);
  const chosen = wanted.find((one) => one.apiVersion === served?.apiVersion);
  if (!chosen) throw new ReportApiError(wanted);
  return chosen;
}

export interface Writing {
  readonly target: WritableApi;
  /** Null: all. */
  readonly namespace: string | null;
  /** What the report is of. */
  readonly inputs: Pick<ClusterInputs, 'subjects' | 'isWhole'>;
}

/** Brings the reports in the cluster up to date with this one, which has to be of all inputs. Throws KubeError. */
export async function writeReports(
  api: KubeApi,
  report: Report,
  { target, namespace, inputs }: Writing,
  options: RenderOptions,
  pass: Pass,
): Promise<SyncCounts> {
  const results = report.results.filter(({ result }) => WRITTEN.has(result));
  const reports = objectReports(target, printableReport({ ...report, results }), options);
  const wanted = reports.map(({ metadata, ...rest }) => {
    const annotations = { [HASH_ANNOTATION]: hashOf({ metadata, ...rest }) };
    return { ...rest, metadata: { ...metadata, annotations } };
  });
  const judged = new Set(inputs.subjects.map(({ object }) => identify(object).uid));
  const isClean = (uid: string) => inputs.isWhole || judged.has(uid);
  return syncReports(api, { resources: target, namespace, wanted, isClean }, pass);
}

/** Of everything but the time. */
function hashOf(report: object): string {
  const text = JSON.stringify(report, (key, value) => (key === 'timestamp' ? undefined : value));
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
