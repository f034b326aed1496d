import type { RenderOptions, Report } from './model.ts';
import { type ReportApi, renderObjectReports } from './objectreports.ts';

export const OPEN_REPORT: ReportApi = {
  apiVersion: 'openreports.io/v1alpha1',
  kind: 'Report',
  clusterKind: 'ClusterReport',
  hasSource: true,
};

/** Reports of the API that follows on wgpolicyk8s.io. */
export function renderOpenReports(report: Report, options: RenderOptions): string {
  return renderObjectReports(OPEN_REPORT, report, options);
}
