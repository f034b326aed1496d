import t from 'tap';
import { admitted, atDensity, checksOf, creating, judgeBuiltIn, manifest, updating } from './subject.ts';

const rows: Readonly<Record<string, { readonly at90: unknown; readonly at110: unknown }>> = {
  'hyperconverged-v1beta1': {
    at90: { resourceRequirements: { storageWorkloads: { limits: { memory: '2Gi' } } } },
    at110: { resourceRequirements: { storageWorkloads: { limits: { memory: '2560Mi' } } } },
  },
  'hyperconverged-v1beta1-low': {
    at90: {
      resourceRequirements: {
        storageWorkloads: { limits: { cpu: '1', memory: '2Gi' }, requests: { memory: '100M' } },
      },
    },
    at110: { resourceRequirements: { storageWorkloads: { limits: { cpu: '1', memory: '2560Mi' } } } },
  },
  'hyperconverged-v1': {
    at90: { storage: { workloadResourceRequirements: { limits: { memory: '2Gi' } } } },
    at110: { storage: { workloadResourceRequirements: { limits: { memory: '2560Mi' } } } },
  },
  'hyperconverged-v1-absent': {
    at90: { storage: { workloadResourceRequirements: { limits: { memory: '2Gi' } } } },
    at110: { storage: { workloadResourceRequirements: { limits: { memory: '2560Mi' } } } },
  },
};

for (const [name, { at90, at110 }] of Object.entries(rows)) {
  t.test(name, async (t) => {
    const object = manifest(`cdi/${name}`);
    t.match(admitted(object, judgeBuiltIn(creating(object), atDensity(90))), { spec: at90 as object });
    t.match(admitted(object, judgeBuiltIn(creating(object), atDensity(110))), { spec: at110 as object });
  });
}

t.test('the field is that of the version', async (t) => {
  const fieldOf = (name: string) =>
    checksOf(judgeBuiltIn(creating(manifest(`cdi/${name}`)), atDensity(90)))[0]?.field;
  t.equal(fieldOf('hyperconverged-v1beta1'), 'spec.resourceRequirements.storageWorkloads.limits.memory');
  t.equal(fieldOf('hyperconverged-v1'), 'spec.storage.workloadResourceRequirements.limits.memory');
});

t.test('a stored value in the band is kept', async (t) => {
  const object = manifest('cdi/hyperconverged-v1-absent');
  const old = {
    ...object,
    spec: { storage: { workloadResourceRequirements: { limits: { memory: '2200M' } } } },
  };
  t.match(judgeBuiltIn(updating(old, object), atDensity(90)), [
    { checks: [{ state: 'kept', wanted: '2200M' }] },
  ]);
});

t.test('a JSON patch that writes to the same place is noted', async (t) => {
  const notesOf = (name: string) =>
    checksOf(judgeBuiltIn(creating(manifest(`cdi/${name}`)), atDensity(90)))[0]?.notes;
  t.same(notesOf('hyperconverged-v1beta1'), []);
  t.match(notesOf('hyperconverged-v1beta1-low'), [/containerizeddataimporter\.kubevirt\.io\/jsonpatch/]);
});

t.test('left alone', async (t) => {
  const object = manifest('cdi/hyperconverged-v1');
  const outcomesOf = (changed: object) => judgeBuiltIn(creating({ ...object, ...changed }), atDensity(90));
  t.match(outcomesOf({ apiVersion: 'hco.kubevirt.io/v2' }), [
    { kind: 'skip', reason: 'its API version is not known' },
  ]);
  t.match(outcomesOf({ metadata: { deletionTimestamp: 'x' } }), [
    { kind: 'skip', reason: 'it is being deleted' },
  ]);
  t.match(outcomesOf({ spec: { storage: { workloadResourceRequirements: { limits: { memory: 'x' } } } } }), [
    { kind: 'skip', reason: /cannot be read/ },
  ]);
});
