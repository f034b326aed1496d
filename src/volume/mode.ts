import type { ClaimRequest } from './claim.ts';
import type { ClassCandidate } from './classes.ts';
import type { OverheadFormula, VolumeMode } from './volume.ts';

const BOTH: readonly VolumeMode[] = ['Filesystem', 'Block'];

/**
 * Every volume mode that the claim may get in the class; at least one. Where CDI would keep the DataVolume waiting for
 * its StorageProfile or StorageClass, both modes stay open, for somebody has yet to fill them in.
 */
export function volumeModes(
  claim: ClaimRequest,
  { profile, standing }: ClassCandidate,
  formula: OverheadFormula,
): readonly VolumeMode[] {
  // CDI puts the profile's mode in its place only for labelled objects, and by a feature gate.
  if (claim.mode === 'from-profile') return BOTH;
  if (claim.mode !== null) return [claim.mode];
  if (claim.api === 'pvc') return ['Filesystem'];
  const namesAccess = claim.accessModes.length > 0;
  if (standing === 'missing') return namesAccess ? ['Filesystem'] : BOTH;
  if (profile === null) return BOTH;
  const [first] = profile.claimPropertySets;
  if (!namesAccess) return first ? [first.volumeMode] : BOTH;
  const shared = profile.claimPropertySets.find(({ accessModes }) =>
    accessModes.some((mode) => claim.accessModes.includes(mode)),
  );
  if (shared) return [shared.volumeMode];
  // CDI of the time of the old formula fell back to the first set, later CDI to what Kubernetes defaults to.
  return formula === 'divide' && first?.volumeMode === 'Block' ? BOTH : ['Filesystem'];
}
