import t from 'tap';
import { qosClassOf } from '../../../src/floor/qos.ts';

const both = { limits: { cpu: '100m', memory: '50Mi' }, requests: { cpu: '0.1', memory: '51200Ki' } };

const rows: Readonly<Record<string, { readonly spec: unknown; readonly is: object }>> = {
  'nothing asked': { spec: { containers: [{ name: 'a' }] }, is: { kind: 'BestEffort' } },
  'no containers': { spec: {}, is: { kind: 'BestEffort' } },
  'no spec': { spec: undefined, is: { kind: 'BestEffort' } },
  'zero is nothing': {
    spec: { containers: [{ name: 'a', resources: { limits: { memory: 0, cpu: '0' } } }] },
    is: { kind: 'BestEffort' },
  },
  'equal in other units': {
    spec: { containers: [{ name: 'a', resources: both }] },
    is: { kind: 'Guaranteed' },
  },
  'requests taken from the limits': {
    spec: { containers: [{ name: 'a', resources: { limits: both.limits } }] },
    is: { kind: 'Guaranteed' },
  },
  'no cpu limit': {
    spec: { containers: [{ name: 'a', resources: { limits: { memory: '50Mi' } } }] },
    is: { kind: 'Burstable', because: 'container a has no cpu limit' },
  },
  'a lower request': {
    spec: { containers: [{ name: 'a', resources: { ...both, requests: { cpu: '100m', memory: '20Mi' } } }] },
    is: { kind: 'Burstable', because: 'container a requests another amount of memory than its limit' },
  },
  'a request that cannot be read': {
    spec: { containers: [{ name: 'a', resources: { ...both, requests: { cpu: 'x' } } }] },
    is: { kind: 'Burstable', because: 'container a requests another amount of cpu than its limit' },
  },
  'an init container with requests only': {
    spec: {
      initContainers: [{ name: 'i', resources: { requests: both.requests } }],
      containers: [{ name: 'a', resources: both }],
    },
    is: { kind: 'Burstable', because: 'container i has no memory limit' },
  },
  'an init container without resources': {
    spec: { initContainers: [{ name: 'i' }], containers: [{ name: 'a', resources: both }] },
    is: { kind: 'Burstable', because: 'container i has no memory limit' },
  },
  'resources of the pod': { spec: { resources: {}, containers: [{ name: 'a' }] }, is: { kind: 'podLevel' } },
};

for (const [name, { spec, is }] of Object.entries(rows)) {
  t.test(name, async (t) => {
    t.same(qosClassOf(spec), is);
  });
}
