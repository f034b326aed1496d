import type { RenderOptions, Report } from './model.ts';
import { type ReportApi, renderObjectReports } from './objectreports.ts';

export const POLICY_REPORT: ReportApi = {
  apiVersion: 'wgpolicyk8s.io/v1alpha2',
  kind: 'PolicyReport',
  clusterKind: 'ClusterPolicyReport',
  hasSource: false,
};

/** Reports of the API that the Policy Working Group left, which is what most clusters have. */
export function renderPolicyReport(report: Report, options: RenderOptions): string {
  return renderObjectReports(POLICY_REPORT, report, options);
}
