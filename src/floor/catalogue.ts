import { cdi } from './cdi.ts';
import { defaultCurves } from './curve.ts';
import type { Curve, FloorSettings, FloorTarget } from './floor.ts';
import { hyperconverged } from './hyperconverged.ts';
import { multus } from './multus.ts';

export type BuiltInTarget = keyof typeof defaultCurves;

/** The built-in rows. Another daemon is one file and one row here, or one row of the configuration (daemon-row.ts). */
export const builtInTargets: readonly FloorTarget[] = [multus, cdi, hyperconverged];

/** What holds where the configuration says nothing. */
export const defaultSettings: Readonly<Record<BuiltInTarget, FloorSettings>> = {
  multus: settingsWith(defaultCurves.multus),
  cdi: settingsWith(defaultCurves.cdi),
  hyperconverged: settingsWith(defaultCurves.hyperconverged),
};

function settingsWith(curve: Curve): FloorSettings {
  return {
    curve,
    requests: 'followWhenEqual',
    addMissing: false,
    initLimits: false,
    action: 'mutate',
    burst: 'density',
  };
}
