import { at, listAt } from '../object/object.ts';
import { bytesOf, parseQuantity } from '../quantity/parse.ts';
import { nameOf } from './container.ts';
import type { FloorCheck, FloorSubject } from './floor.ts';
import type { Path } from './pointer.ts';
import { obstacleTo, operationsFor } from './write.ts';

/**
 * Limits for the init containers that request memory and have no limit for it, equal to their requests. Without them
 * the pod is Burstable whatever its daemon asks for. The cpu limit goes along, for Guaranteed needs both.
 */
export function initLimitChecks(subject: FloorSubject, target: string, podSpec: Path): FloorCheck[] {
  const { object } = subject;
  return listAt(object, ...podSpec, 'initContainers').flatMap((container, index) => {
    const resources: Path = [...podSpec, 'initContainers', index, 'resources'];
    const request = parseQuantity(at(object, ...resources, 'requests', 'memory'));
    const isLimited = at(object, ...resources, 'limits', 'memory') != null;
    if (!request.ok || isLimited || request.quantity.nanos <= 0n) return [];
    if (obstacleTo(object, [...resources, 'limits', 'memory']) !== null) return [];
    const missing = ['memory', 'cpu'].filter(
      (resource) =>
        at(object, ...resources, 'requests', resource) != null &&
        at(object, ...resources, 'limits', resource) == null,
    );
    const writes = missing.map((resource) => ({
      path: [...resources, 'limits', resource],
      value: at(object, ...resources, 'requests', resource),
    }));
    return [
      {
        target,
        field: `${podSpec.join('.')}.initContainers[${nameOf(container, index)}].resources.limits.memory`,
        floor: bytesOf(request.quantity),
        limit: null,
        wanted: request.quantity.text,
        state: 'below' as const,
        because: 'initLimits gives an init container a limit equal to its request',
        operations: operationsFor(object, writes),
        notes: [],
      },
    ];
  });
}
