import type { Settings } from '../../config/settings.ts';
import type { World } from '../../evaluate/world.ts';
import { floorOf } from '../../floor/curve.ts';
import { type Report, type ReportResult, summarize } from '../../report/model.ts';
import type { BrokenManifest } from '../manifests.ts';
import type { Inputs } from './inputs.ts';
import { type Judging, judgeSubjects } from './judging.ts';

const BROKEN = 'broken-manifest';
/** Pods on a node for which the curves are given, besides the density itself. */
const DENSITIES = [0, 30, 60, 90, 110, 150, 200, 250];

/** Judges everything that was read; where the signal ends first, what was judged until then. */
export async function makeReport(inputs: Inputs, judging: Judging): Promise<Report> {
  const judged = await judgeSubjects(inputs.subjects, judging);
  const results = [...judged, ...inputs.broken.map(brokenResult)];
  const { settings, density }: World = judging.world;
  return {
    summary: summarize(results),
    results,
    density,
    curves: curvesOf(settings, density.pods),
    ignored: inputs.ignored,
  };
}

function brokenResult({ file, line, problem }: BrokenManifest): ReportResult {
  return {
    policy: 'volume-size',
    rule: BROKEN,
    result: 'error',
    severity: 'medium',
    resource: { apiVersion: '', kind: '', namespace: '', name: '', uid: '' },
    field: '',
    message: `${file}:${line}: cannot be read: ${problem}`,
    properties: { reason: BROKEN },
    file,
    line,
  };
}

/** The floors' curves, for the formats that draw them. */
function curvesOf({ floorSettings }: Settings, density: number): Report['curves'] {
  const densities = [...new Set([...DENSITIES, density])].sort((a, b) => a - b);
  return [...floorSettings].map(([target, { curve }]) => ({
    target,
    points: densities.map((pods) => ({ pods, bytes: floorOf(curve, pods) })),
  }));
}

export const FAIL_LEVELS = ['error', 'warn', 'never'] as const;

/** 1: a manifest is broken; 2: findings of that level; 3: something could not be evaluated, where that is to count. */
export function exitCodeOf(
  { results, summary }: Report,
  failLevel: (typeof FAIL_LEVELS)[number],
  failOnUnknown: boolean,
): number {
  if (results.some(({ rule }) => rule === BROKEN)) return 1;
  if (failLevel !== 'never' && (summary.fail > 0 || (failLevel === 'warn' && summary.warn > 0))) return 2;
  return failOnUnknown && summary.error > 0 ? 3 : 0;
}
