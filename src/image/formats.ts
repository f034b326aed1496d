import { ARCHIVES } from './archives.ts';
import type { Format } from './format.ts';
import { QCOW2 } from './qcow2.ts';
import { RAW } from './raw.ts';
import { UNIMPORTABLE } from './unimportable.ts';
import { VDI } from './vdi.ts';
import { VHDX } from './vhdx.ts';
import { VMDK } from './vmdk.ts';
import { VPC } from './vpc.ts';

/** Every format, in the order in which they are tried; raw is what is left. */
export const FORMATS: readonly Format[] = [QCOW2, VMDK, VDI, VPC, VHDX, ...UNIMPORTABLE, ...ARCHIVES, RAW];
