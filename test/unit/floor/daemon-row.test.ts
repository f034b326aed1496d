import t from 'tap';
import { type DaemonMatch, targetOf, type WorkloadKind } from '../../../src/floor/daemon-row.ts';
import { judgeFloors } from '../../../src/floor/judge.ts';
import { MiB } from '../../../src/quantity/units.ts';
import { defaultSettings } from './default-settings.ts';
import { admitted, atDensity, creating, memoryOf } from './subject.ts';

const settings = {
  ...defaultSettings.multus,
  curve: { base: 64n * MiB, perPod: 1n * MiB, step: 16n * MiB, min: 100n * MiB, max: 1024n * MiB },
};

const fluentBit = (kind: WorkloadKind | 'Pod' = 'DaemonSet', namespace = 'logging') => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'fluent-bit', namespace },
  spec: {
    template: {
      spec: {
        containers: [
          { name: 'reloader', image: 'x/reloader', resources: { limits: { memory: '20Mi' } } },
          {
            name: 'fluent-bit',
            image: 'cr.fluentbit.io:443/fluent/fluent-bit:4.0.1@sha256:00',
            command: ['/fluent-bit/bin/fluent-bit'],
            resources: { limits: { memory: '100Mi' } },
          },
        ],
      },
    },
  },
});

const limitsAfter = (match: Partial<DaemonMatch>, object: object = fluentBit()) => {
  const target = targetOf({ name: 'fluent-bit', match: { kinds: ['DaemonSet'], container: {}, ...match } });
  const outcomes = judgeFloors(creating(object as never), {
    targets: [target],
    settings: new Map([['fluent-bit', settings]]),
    ...atDensity(90),
  });
  const after = admitted(object as never, outcomes);
  return outcomes.length === 0 ? null : [memoryOf(after, 0).limit, memoryOf(after, 1).limit];
};

const RAISED = ['20Mi', '160Mi'];

const rows: Readonly<
  Record<string, { readonly match: Partial<DaemonMatch>; readonly object?: object; readonly after: unknown }>
> = {
  'by its command': { match: { container: { command: 'fluent-bit' } }, after: RAISED },
  'by the last segment of its image': { match: { container: { image: 'fluent-bit' } }, after: RAISED },
  'by more of its image': { match: { container: { image: 'fluent/fluent-bit' } }, after: RAISED },
  'by all of its image': {
    match: { container: { image: 'cr.fluentbit.io:443/fluent/fluent-bit' } },
    after: RAISED,
  },
  'by half a segment': { match: { container: { image: 'bit' } }, after: null },
  'by its name': { match: { container: { name: 'fluent-bit' } }, after: RAISED },
  'by all of them': {
    match: { container: { command: 'fluent-bit', image: 'fluent-bit', name: 'fluent-bit' } },
    after: RAISED,
  },
  'by one that does not hold among others': {
    match: { container: { command: 'fluent-bit', image: 'fluent-bit', name: 'other' } },
    after: null,
  },
  'by nothing': { match: { container: {} }, after: null },
  'in its namespace': {
    match: { container: { name: 'fluent-bit' }, namespaces: ['a', 'logging'] },
    after: RAISED,
  },
  'in another namespace': { match: { container: { name: 'fluent-bit' }, namespaces: ['a'] }, after: null },
  'in no namespace': { match: { container: { name: 'fluent-bit' }, namespaces: [] }, after: null },
  'of another kind': {
    match: { container: { name: 'fluent-bit' } },
    object: fluentBit('Deployment'),
    after: null,
  },
  'of a kind that is asked for': {
    match: { container: { name: 'fluent-bit' }, kinds: ['DaemonSet', 'StatefulSet'] },
    object: fluentBit('StatefulSet'),
    after: RAISED,
  },
};

for (const [name, { match, object, after }] of Object.entries(rows)) {
  t.test(`a row of the user's matches ${name}`, async (t) => {
    t.same(limitsAfter(match, object), after);
  });
}
