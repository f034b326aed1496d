import t from 'tap';
import { judgeVolumes } from '../../../src/evaluate/volumes.ts';
import type { World } from '../../../src/evaluate/world.ts';
import { dataVolume } from '../../integration/harness.ts';
import { creation, seesFedora, update, worldOf } from './world.ts';

const NEVER = new AbortController().signal;
const URL = 'http://images.example/fedora.qcow2';
const FEDORA = dataVolume(URL, '30Gi');

/** `kind rule action` of each outcome. */
async function judged(object: object, world: World = worldOf()): Promise<string[]> {
  const outcomes = await judgeVolumes(creation(object), world, NEVER);
  return outcomes.map((outcome) =>
    outcome.kind === 'finding'
      ? `${outcome.finding.rule} ${outcome.exemption ? 'exempt' : outcome.action}`
      : `${outcome.kind} ${outcome.properties['reason'] ?? ''}`.trimEnd(),
  );
}

const withSource = (source: object) => {
  const object = structuredClone(FEDORA) as { spec: { source: object } };
  object.spec.source = source;
  return object;
};

/** With one disk that is too small, and one that is far too big for a base, which it is not. */
const MACHINE = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'desktop', namespace: 'desktops' },
  spec: {
    dataVolumeTemplates: ['5Gi', '100Gi'].map((size) => ({
      metadata: { name: `disk-${size}` },
      spec: (dataVolume(URL, size) as { spec: object }).spec,
    })),
  },
};

const ROWS: readonly { name: string; object: object; world?: World; expected: readonly string[] }[] = [
  { name: 'a base of 30Gi', object: FEDORA, expected: ['oversized deny'] },
  { name: 'a base of 10Gi', object: dataVolume(URL, '10Gi'), expected: ['pass'] },
  { name: 'a base of 5Gi', object: dataVolume(URL, '5Gi'), expected: ['too-small deny'] },
  { name: 'a clone', object: withSource({ pvc: { namespace: 'a', name: 'b' } }), expected: ['skip clone'] },
  { name: 'a blank disk', object: withSource({ blank: {} }), expected: ['skip blank'] },
  { name: 'an upload', object: withSource({ upload: {} }), expected: ['skip upload'] },
  { name: 'none of our business', object: { apiVersion: 'v1', kind: 'Pod' }, expected: [] },
  { name: 'a VirtualMachine’s own disk', object: MACHINE, expected: ['too-small deny', 'pass'] },
  {
    name: 'VirtualMachines, where they are not to be judged',
    object: MACHINE,
    world: worldOf('volumeSize: { virtualMachines: false }'),
    expected: [],
  },
  {
    name: 'an action that is off leaves a pass',
    object: FEDORA,
    world: worldOf('volumeSize: { actions: { oversized: "off" } }'),
    expected: ['pass'],
  },
  {
    name: 'byCloneStrategy warns where nothing is known of the clones',
    object: FEDORA,
    world: worldOf('volumeSize: { actions: { oversized: byCloneStrategy } }'),
    expected: ['oversized warn'],
  },
  {
    name: 'an exemption',
    object: FEDORA,
    world: worldOf('exemptions: [{ names: [fedora], reason: agreed, expires: 2026-06-02 }]'),
    expected: ['oversized exempt'],
  },
  {
    name: 'an exemption that has expired at this very moment',
    object: FEDORA,
    world: worldOf('exemptions: [{ names: [fedora], reason: agreed, expires: 2026-06-01 }]'),
    expected: ['oversized deny'],
  },
];

for (const { name, object, world, expected } of ROWS)
  t.test(name, async (t) => {
    t.same(await judged(object, world), expected);
  });

t.test('what is skipped is not looked at', async (t) => {
  let looks = 0;
  const look = (...asked: Parameters<typeof seesFedora>) => {
    looks += 1;
    return seesFedora(...asked);
  };
  await judged(withSource({ blank: {} }), worldOf('', { look }));
  await judgeVolumes(update(FEDORA, FEDORA), worldOf('', { look }), NEVER);
  t.equal(looks, 0);
  await judged(FEDORA, worldOf('', { look }));
  t.equal(looks, 1);
});

t.test('what passes tells what was seen', async (t) => {
  const [outcome] = await judgeVolumes(creation(dataVolume(URL, '10Gi')), worldOf(), NEVER);
  t.match(outcome, {
    kind: 'pass',
    policy: 'volume-size',
    rule: 'volume-size',
    field: 'spec.storage.resources.requests.storage',
    message:
      'DataVolume images/fedora: spec.storage.resources.requests.storage asks for 10Gi, which fits its image',
    warning: null,
    properties: {
      requested: '10Gi',
      requestedBytes: '10737418240',
      format: 'qcow2',
      virtualSize: '10737418240',
      storedSize: '1100000000',
    },
  });
});

t.test('the deadline is the asker’s', async (t) => {
  const { signal } = new AbortController();
  let given: AbortSignal | undefined;
  const look: World['look'] = (source, signal) => {
    given = signal;
    return seesFedora(source, signal);
  };
  await judgeVolumes(creation(FEDORA), worldOf('', { look }), signal);
  t.equal(given, signal);
});
