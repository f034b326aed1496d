import { at, listAt, objectAt, textAt } from '../object/object.ts';

/** Annotations and labels, by the start of their name, of tools that write an object back. */
const TOOLS: readonly (readonly [prefix: string, tool: string])[] = [
  ['argocd.argoproj.io/', 'Argo CD'],
  ['kustomize.toolkit.fluxcd.io/', 'Flux'],
  ['helm.toolkit.fluxcd.io/', 'Flux'],
  ['meta.helm.sh/', 'Helm'],
  ['objectset.rio.cattle.io/', 'Rancher'],
];

/** Field managers behind which a person stands: kubectl's own. */
const PERSONAL = /^kubectl(?:-(?:annotate|client-side-apply|create|edit|label|patch|replace|rollout|set))?$/;

const UNKNOWN = 'an unknown field manager';

/** Where the kinds with floors keep them; operators fill in other parts of a spec that is not theirs. */
const PARTS = ['f:template', 'f:config', 'f:resourceRequirements', 'f:storage'];

/**
 * Who would write an object back, in words; null where nobody but people is known to. Whoever cannot be told counts as
 * an owner: a write that is left out costs a line in the report, one too many costs a fight.
 */
export function ownerOf(object: unknown): string | null {
  const [owner] = listAt(object, 'metadata', 'ownerReferences');
  if (owner !== undefined)
    return `${textAt(owner, 'kind') ?? 'object'} ${textAt(owner, 'name') ?? ''}`.trim();
  const manager = textAt(object, 'metadata', 'labels', 'app.kubernetes.io/managed-by');
  if (manager !== undefined) return manager;
  const names = ['annotations', 'labels'].flatMap((part) =>
    Object.keys(objectAt(object, 'metadata', part) ?? {}),
  );
  const tool = TOOLS.find(([prefix]) => names.some((name) => name.startsWith(prefix)));
  if (tool !== undefined) return tool[1];
  const writers = writersOf(object);
  if (writers.length === 0) return UNKNOWN;
  return writers.find((writer) => !PERSONAL.test(writer)) ?? null;
}

/** Field managers of the part that the floors are in; of the whole spec where that part is nobody's. */
function writersOf(object: unknown): string[] {
  const entries = listAt(object, 'metadata', 'managedFields').flatMap((entry) => {
    const fields = objectAt(entry, 'fieldsV1', 'f:spec');
    return fields === undefined ? [] : [{ manager: textAt(entry, 'manager') ?? UNKNOWN, fields }];
  });
  const ofPart = entries.filter(({ fields }) => PARTS.some((part) => at(fields, part) !== undefined));
  return (ofPart.length > 0 ? ofPart : entries).map(({ manager }) => manager);
}
