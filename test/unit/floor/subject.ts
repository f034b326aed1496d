import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { applyOperations } from '../../../src/floor/apply.ts';
import { builtInTargets } from '../../../src/floor/catalogue.ts';
import type {
  FloorCheck,
  FloorContext,
  FloorOutcome,
  FloorSettings,
  FloorSubject,
} from '../../../src/floor/floor.ts';
import { judgeFloors } from '../../../src/floor/judge.ts';
import { at, type JsonObject } from '../../../src/object/object.ts';
import { defaultSettings } from './default-settings.ts';

/** A manifest of test/fixtures, by its path without `.yaml`. */
export function manifest(path: string): JsonObject {
  return parse(readFileSync(new URL(`../../fixtures/${path}.yaml`, import.meta.url), 'utf8')) as JsonObject;
}

export function creating(object: JsonObject): FloorSubject {
  return { object, oldObject: null, operation: 'CREATE' };
}

export function updating(oldObject: JsonObject, object: JsonObject): FloorSubject {
  return { object, oldObject, operation: 'UPDATE' };
}

export function atDensity(pods: number, more: Partial<FloorContext> = {}): FloorContext {
  return { density: { pods, origin: 'fixed' }, stickyPercent: 25, ...more };
}

/** What the built-in targets say, with some settings changed for all of them. */
export function judgeBuiltIn(
  subject: FloorSubject,
  context: FloorContext,
  changed: Partial<FloorSettings> = {},
): FloorOutcome[] {
  const settings = new Map(
    Object.entries(defaultSettings).map(([name, row]) => [name, { ...row, ...changed }]),
  );
  return judgeFloors(subject, { targets: builtInTargets, settings, ...context });
}

export function checksOf(outcomes: readonly FloorOutcome[]): readonly FloorCheck[] {
  return outcomes.flatMap((outcome) => (outcome.kind === 'check' ? outcome.checks : []));
}

/** The object as the API server would store it. */
export function admitted(object: JsonObject, outcomes: readonly FloorOutcome[]): JsonObject {
  const applied = applyOperations(
    object,
    checksOf(outcomes).flatMap(({ operations }) => operations),
  );
  if (!applied.ok) throw new Error(`${applied.fault} at ${applied.operation.path}`);
  return applied.object;
}

/** A thick Multus with one daemon container of these resources. */
export function multusWith(resources: unknown, container: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'kube-multus-ds', namespace: 'kube-system' },
    spec: {
      template: {
        metadata: { annotations: { 'example.com/kept': 'yes' } },
        spec: {
          containers: [
            {
              name: 'kube-multus',
              command: ['/usr/src/multus-cni/bin/multus-daemon'],
              env: [{ name: 'MULTUS_NODE_NAME' }],
              ...(resources === undefined ? {} : { resources }),
              ...container,
            },
          ],
        },
      },
    },
  };
}

export function cdiWith(
  podResourceRequirements: unknown,
  metadata: JsonObject = { name: 'cdi' },
): JsonObject {
  const config = podResourceRequirements === undefined ? {} : { podResourceRequirements };
  return { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'CDI', metadata, spec: { config } };
}

export function memoryOf(object: JsonObject, index = 0): { limit: unknown; request: unknown } {
  const resources = ['spec', 'template', 'spec', 'containers', index, 'resources'];
  return {
    limit: at(object, ...resources, 'limits', 'memory'),
    request: at(object, ...resources, 'requests', 'memory'),
  };
}

export function cdiMemoryOf(object: JsonObject): { limit: unknown; request: unknown } {
  const requirements = ['spec', 'config', 'podResourceRequirements'];
  return {
    limit: at(object, ...requirements, 'limits', 'memory'),
    request: at(object, ...requirements, 'requests', 'memory'),
  };
}
