import { defaultCurves } from '../../../src/floor/curve.ts';
import type { Curve, FloorSettings } from '../../../src/floor/floor.ts';

/** What the built-in targets are judged by where the configuration says nothing; settings.test.ts holds the schema to it. */
export const defaultSettings = {
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
