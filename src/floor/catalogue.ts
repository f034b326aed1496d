import { cdi } from './cdi.ts';
import type { FloorTarget } from './floor.ts';
import { hyperconverged } from './hyperconverged.ts';
import { multus } from './multus.ts';

/** The built-in rows. Another daemon is one file and one row here, or one row of the configuration (daemon-row.ts). */
export const builtInTargets: readonly FloorTarget[] = [multus, cdi, hyperconverged];
