import t from 'tap';
import { judgeContainers, podsInFlight } from '../../../src/floor/workload.ts';
import { at, listAt } from '../../../src/object/object.ts';
import { defaultSettings } from './default-settings.ts';
import {
  admitted,
  atDensity,
  checksOf,
  creating,
  judgeBuiltIn,
  memoryOf,
  multusWith,
  updating,
} from './subject.ts';

const FIFTY = { limits: { memory: '50Mi' }, requests: { memory: '50Mi' } };

const lifecycle: readonly {
  readonly name: string;
  readonly resources: unknown;
  readonly changed: object;
  readonly after: object;
}[] = [
  {
    name: 'a missing limit stays missing',
    resources: undefined,
    changed: {},
    after: { limit: undefined, request: undefined },
  },
  {
    name: 'addMissing makes what is missing',
    resources: undefined,
    changed: { addMissing: true },
    after: { limit: '500Mi', request: undefined },
  },
  {
    name: 'addMissing goes over a request that is higher',
    resources: { requests: { memory: '1Gi' } },
    changed: { addMissing: true },
    after: { limit: '1Gi', request: '1Gi' },
  },
  {
    name: 'addMissing leaves zero',
    resources: { limits: { memory: '0' } },
    changed: { addMissing: true },
    after: { limit: '0', request: undefined },
  },
  {
    name: 'follow makes a request',
    resources: { limits: { memory: '50Mi' } },
    changed: { requests: 'follow' },
    after: { limit: '500Mi', request: '500Mi' },
  },
  {
    name: 'follow makes both from nothing',
    resources: undefined,
    changed: { requests: 'follow', addMissing: true },
    after: { limit: '500Mi', request: '500Mi' },
  },
];

for (const { name, resources, changed, after } of lifecycle) {
  t.test(name, async (t) => {
    const object = multusWith(resources);
    const stored = admitted(object, judgeBuiltIn(creating(object), atDensity(90), changed));
    t.same(memoryOf(stored), after);
  });
}

t.test('a restart at a lower density changes nothing of what is stored', async (t) => {
  for (const pods of [30, 45, 89, 90, 91, 110, 250]) {
    const object = multusWith(FIFTY);
    const stored = admitted(object, judgeBuiltIn(creating(object), atDensity(pods)));
    t.same(
      admitted(stored, judgeBuiltIn(updating(stored, stored), atDensity(10))),
      stored,
      `from ${pods} pods`,
    );
  }
});

t.test('a manifest applied again ends as stored until the density leaves the band', async (t) => {
  const sent = multusWith(FIFTY);
  const stored = admitted(sent, judgeBuiltIn(creating(sent), atDensity(90)));
  const again = (pods: number) =>
    memoryOf(admitted(sent, judgeBuiltIn(updating(stored, sent), atDensity(pods))));
  t.same(again(90), { limit: '500Mi', request: '500Mi' });
  t.same(again(70), { limit: '500Mi', request: '500Mi' }, '400Mi and a quarter is 500Mi');
  t.same(again(68), { limit: '390Mi', request: '390Mi' });
  t.same(again(91), { limit: '510Mi', request: '510Mi' });
});

t.test('the stored container is found by name', async (t) => {
  const containers = (...names: string[]) => ({
    ...multusWith(undefined),
    spec: {
      template: {
        spec: {
          containers: names.map((name) => ({
            name,
            command: [name === 'kube-multus' ? 'multus-daemon' : 'other'],
            resources: { limits: { memory: name === 'kube-multus' ? '520Mi' : '510Mi' } },
          })),
        },
      },
    },
  });
  const sent = multusWith({ limits: { memory: '50Mi' } });
  const outcomes = judgeBuiltIn(updating(containers('other', 'kube-multus'), sent), atDensity(90));
  t.equal(checksOf(outcomes)[0]?.wanted, '520Mi');
  const onCreate = { ...updating(containers('kube-multus'), sent), operation: 'CREATE' as const };
  t.equal(
    checksOf(judgeBuiltIn(onCreate, atDensity(90)))[0]?.wanted,
    '500Mi',
    'only an update has a stored one',
  );
});

t.test('several containers are all raised, and said of each', async (t) => {
  const one = at(multusWith(FIFTY), 'spec', 'template', 'spec', 'containers', 0) as object;
  const object = {
    ...multusWith(FIFTY),
    spec: {
      template: {
        spec: {
          containers: [
            { ...one, name: 'a' },
            { ...one, name: 'b' },
          ],
        },
      },
    },
  };
  const outcomes = judgeBuiltIn(creating(object), atDensity(90));
  t.match(checksOf(outcomes), [{ field: /containers\[a\]/ }, { field: /containers\[b\]/ }]);
  const after = admitted(object, outcomes);
  t.same([memoryOf(after, 0).limit, memoryOf(after, 1).limit], ['500Mi', '500Mi']);
});

t.test('resources of the pod as a whole are not fought with', async (t) => {
  const withPodResources = (memory: string) => {
    const object = multusWith({ limits: { memory } });
    const containers = listAt(object, 'spec', 'template', 'spec', 'containers');
    return {
      ...object,
      spec: { template: { spec: { resources: { limits: { memory: '64Mi' } }, containers } } },
    };
  };
  t.match(judgeBuiltIn(creating(withPodResources('50Mi')), atDensity(90)), [
    {
      kind: 'skip',
      reason: /pod as a whole/,
      warning: /containers\[kube-multus\].* is left as it is/,
    },
  ]);
  t.match(judgeBuiltIn(creating(withPodResources('500Mi')), atDensity(90)), [{ kind: 'check' }]);
});

t.test('a limit that cannot be read leaves the object, and is named without its value', async (t) => {
  const outcomes = judgeBuiltIn(creating(multusWith({ limits: { memory: 'secret' } })), atDensity(90));
  t.match(outcomes, [
    {
      kind: 'skip',
      reason: /^spec\.template\.spec\.containers\[kube-multus\]\.resources\.limits\.memory cannot/,
    },
  ]);
  t.equal(String(outcomes[0]?.kind === 'skip' && outcomes[0].reason).includes('secret'), false);
});

t.test('notes on the request and on the class', async (t) => {
  const notesOf = (resources: unknown, changed = {}) =>
    checksOf(judgeBuiltIn(creating(multusWith(resources)), atDensity(90), changed))[0]?.notes;
  const low = { limits: { cpu: '1', memory: '50Mi' } };
  t.same(notesOf(low), [
    'no memory request is written, so Kubernetes requests as much as the limit',
    "the pods' QoS class is Guaranteed",
  ]);
  t.same(notesOf(low, { requests: 'follow' }), ["the pods' QoS class is Guaranteed"]);
  t.same(notesOf({ limits: { cpu: '1', memory: '1Gi' } }), ["the pods' QoS class is Guaranteed"]);
  t.same(notesOf(undefined), ["the pods' QoS class is BestEffort"]);
  t.same(notesOf({ ...low, requests: { memory: '40Mi' } }), [
    "the pods' QoS class is Burstable: container kube-multus requests another amount of memory than its limit",
  ]);
});

t.test('pods in flight', async (t) => {
  const settings = { ...defaultSettings.multus, burst: 'connectionLimit' as const };
  t.equal(podsInFlight(settings, atDensity(90, { connectionLimit: 5 })), 5);
  t.equal(podsInFlight(settings, atDensity(90, { connectionLimit: 91 })), 90);
  t.equal(podsInFlight(settings, atDensity(90, { connectionLimit: null })), 90);
  t.equal(podsInFlight(settings, atDensity(90)), 90);
  t.equal(podsInFlight(defaultSettings.multus, atDensity(90, { connectionLimit: 5 })), 90);
});

t.test('the action is that of the settings', async (t) => {
  const outcome = judgeContainers({
    target: 'other',
    subject: creating(multusWith(FIFTY)),
    containers: [0],
    settings: { ...defaultSettings.multus, action: 'audit' },
    context: atDensity(90),
  });
  t.match(outcome, {
    kind: 'check',
    target: 'other',
    action: 'audit',
    checks: [{ target: 'other', state: 'below' }],
  });
});
