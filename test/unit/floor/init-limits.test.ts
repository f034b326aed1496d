import t from 'tap';
import { initLimitChecks } from '../../../src/floor/init-limits.ts';
import { POD_SPEC } from '../../../src/floor/workload.ts';
import { at } from '../../../src/object/object.ts';
import { admitted, atDensity, checksOf, creating, judgeBuiltIn, manifest } from './subject.ts';

const withInit = (resources: unknown) => ({
  spec: { template: { spec: { initContainers: [{ name: 'install', resources }] } } },
});

const rows: Readonly<Record<string, { readonly resources: unknown; readonly limits: unknown }>> = {
  'requests without limits': {
    resources: { requests: { cpu: '10m', memory: '15Mi' } },
    limits: { cpu: '10m', memory: '15Mi' },
  },
  'a memory request alone': { resources: { requests: { memory: '15Mi' } }, limits: { memory: '15Mi' } },
  'a cpu limit already': {
    resources: { requests: { cpu: '10m', memory: '15Mi' }, limits: { cpu: '20m' } },
    limits: { cpu: '20m', memory: '15Mi' },
  },
  'a memory limit already': {
    resources: { requests: { memory: '15Mi' }, limits: { memory: '128Mi' } },
    limits: { memory: '128Mi' },
  },
  'no memory request': { resources: { requests: { cpu: '10m' } }, limits: undefined },
  'no resources': { resources: undefined, limits: undefined },
  'a request of zero': { resources: { requests: { memory: 0 } }, limits: undefined },
  'a request that cannot be read': { resources: { requests: { memory: 'x' } }, limits: undefined },
  'limits of a list': { resources: { requests: { memory: '15Mi' }, limits: [] }, limits: [] },
};

for (const [name, { resources, limits }] of Object.entries(rows)) {
  t.test(name, async (t) => {
    const object = withInit(resources);
    const checks = initLimitChecks(creating(object), 'multus', POD_SPEC);
    const after = admitted(object, [{ kind: 'check', target: 'multus', action: 'mutate', checks }]);
    t.same(at(after, ...POD_SPEC, 'initContainers', 0, 'resources', 'limits'), limits);
    t.same(initLimitChecks(creating(after), 'multus', POD_SPEC), [], 'once is enough');
  });
}

t.test('the upstream manifest becomes Guaranteed by it, and only by it', async (t) => {
  const object = manifest('multus/upstream-thick');
  const notesWith = (initLimits: boolean) =>
    checksOf(judgeBuiltIn(creating(object), atDensity(90), { initLimits }))[0]?.notes;
  t.match(notesWith(false), [
    /^the pods' QoS class is Burstable: container install-multus-binary has no memory limit$/,
  ]);
  t.match(notesWith(true), [/^the pods' QoS class is Guaranteed$/]);
});

t.test('a daemon without a limit is left with its init containers', async (t) => {
  const object = manifest('multus/cnao');
  t.same(admitted(object, judgeBuiltIn(creating(object), atDensity(90), { initLimits: true })), object);
});
