import { listAt, textAt } from '../object/object.ts';
import { imageOf, runs } from './container.ts';
import type { FloorSettings, FloorTarget } from './floor.ts';
import { judgeContainers, POD_SPEC } from './workload.ts';

export type WorkloadKind = 'DaemonSet' | 'Deployment' | 'StatefulSet';

/** Which containers a row of the user's means. All tests that are given have to hold; none given means no container. */
export interface DaemonMatch {
  readonly kinds: readonly WorkloadKind[];
  readonly container: {
    /** A program that the command or the arguments name. */
    readonly command?: string;
    /** The end of the image's repository, in whole segments: `fluent-bit`, `fluent/fluent-bit`. */
    readonly image?: string;
    /** The container's name. */
    readonly name?: string;
  };
  /** Absent means all. */
  readonly namespaces?: readonly string[];
}

/** Another daemon that grows with density, as the configuration describes it. */
export interface DaemonRow {
  readonly name: string;
  readonly match: DaemonMatch;
  readonly settings: FloorSettings;
}

/** The target that a row of the user's describes; its settings come to it as those of any target do. */
export function targetOf({ name, match }: Pick<DaemonRow, 'name' | 'match'>): FloorTarget {
  return {
    name,
    kinds: match.kinds.map((kind) => ({ group: 'apps', kind })),
    judge: (subject, settings, context) => {
      const namespace = textAt(subject.object, 'metadata', 'namespace') ?? '';
      if (match.namespaces !== undefined && !match.namespaces.includes(namespace)) return null;
      const containers = listAt(subject.object, ...POD_SPEC, 'containers').flatMap((container, index) =>
        isMeant(container, match.container) ? [index] : [],
      );
      return containers.length === 0
        ? null
        : judgeContainers({ target: name, subject, containers, settings, context });
    },
  };
}

function isMeant(container: unknown, { command, image, name }: DaemonMatch['container']): boolean {
  if (command === undefined && image === undefined && name === undefined) return false;
  return (
    (command === undefined || runs(container, command)) &&
    (image === undefined || `/${imageOf(container).repository}`.endsWith(`/${image}`)) &&
    (name === undefined || textAt(container, 'name') === name)
  );
}
