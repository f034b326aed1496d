import { GZ } from './gz.ts';
import type { Wrapper } from './wrapper.ts';
import { XZ } from './xz.ts';
import { ZST } from './zst.ts';

/** The compressions that CDI unpacks: each kind once, in any order of nesting. */
export const WRAPPERS: readonly Wrapper[] = [GZ, XZ, ZST];
