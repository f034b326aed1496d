import t from 'tap';
import { judgeMemory } from '../../../src/evaluate/floors.ts';
import { judgeObject } from '../../../src/evaluate/judge.ts';
import { applyOperations } from '../../../src/floor/apply.ts';
import type { JsonObject } from '../../../src/object/object.ts';
import { cdi, dataVolume, multus } from '../../integration/harness.ts';
import { creation, update, worldOf } from './world.ts';

const paths = (judgement: ReturnType<typeof judgeMemory>) => judgement.operations.map(({ path }) => path);

/** `kind rule action` of each outcome. */
const shapes = ({ outcomes }: ReturnType<typeof judgeMemory>) =>
  outcomes.map((outcome) =>
    outcome.kind === 'finding'
      ? `${outcome.finding.rule} ${outcome.exemption ? 'exempt' : outcome.action}`
      : `${outcome.kind} ${outcome.rule}`,
  );

t.test('a limit below its floor is found, and raised', (t) => {
  const judgement = judgeMemory(creation(multus('50Mi')), worldOf());
  t.same(shapes(judgement), ['multus warn']);
  const applied = applyOperations(multus('50Mi') as JsonObject, judgement.operations);
  t.same(applied.ok && applied.object, multus('500Mi'));
  t.end();
});

t.test('a limit that holds passes, and is left alone', (t) => {
  const judgement = judgeMemory(creation(multus('500Mi')), worldOf());
  t.same(shapes(judgement), ['pass multus']);
  t.same(judgement.operations, []);
  t.match(judgement.outcomes[0], { message: /resources\.limits\.memory is 500Mi; /, warning: null });
  t.end();
});

for (const action of ['deny', 'warn', 'audit'])
  t.test(`${action} finds the same, and writes nothing`, (t) => {
    const world = worldOf(`memoryFloor: { targets: { multus: { action: ${action} } } }`);
    const judgement = judgeMemory(creation(multus('50Mi')), world);
    t.same(shapes(judgement), [`multus ${action}`]);
    t.same(judgement.operations, []);
    t.end();
  });

t.test('each asker hears of the targets that concern it', (t) => {
  const world = worldOf('memoryFloor: { targets: { multus: { action: deny } } }');
  const ask = (object: object, wanted: string) =>
    shapes(judgeMemory(creation(object), world, (action) => action === wanted));
  t.same(ask(multus('50Mi'), 'deny'), ['multus deny']);
  t.same(ask(multus('50Mi'), 'mutate'), []);
  t.same(ask(cdi(), 'mutate'), ['cdi warn']);
  t.same(ask(cdi(), 'deny'), []);
  t.end();
});

t.test('what is exempt is found, and left as it is', (t) => {
  const world = worldOf('exemptions: [{ namespaces: [kube-system], rules: [multus], reason: tested }]');
  const judgement = judgeMemory(creation(multus('50Mi')), world);
  t.same(shapes(judgement), ['multus exempt']);
  t.same(judgement.operations, []);
  t.same(
    paths(judgeMemory(creation(cdi()), world)).at(-1),
    '/spec/config/podResourceRequirements/limits/memory',
  );
  t.end();
});

t.test('a target that is off says nothing', (t) => {
  const world = worldOf('memoryFloor: { targets: { multus: { enabled: false } } }');
  t.same(judgeMemory(creation(multus('50Mi')), world), { outcomes: [], operations: [], contended: [] });
  t.end();
});

const KEPT: readonly { name: string; yaml: string; live: string; wanted: string }[] = [
  { name: 'up to a quarter over the floor', yaml: '', live: '625Mi', wanted: '625Mi' },
  { name: 'not further', yaml: '', live: '626Mi', wanted: '500Mi' },
  {
    name: 'as far as is configured',
    yaml: 'memoryFloor: { stickyPercent: 100 }',
    live: '1000Mi',
    wanted: '1000Mi',
  },
  { name: 'not at all', yaml: 'memoryFloor: { stickyPercent: 0 }', live: '501Mi', wanted: '500Mi' },
];

for (const { name, yaml, live, wanted } of KEPT)
  t.test(`a stored limit is kept: ${name}`, (t) => {
    const { operations } = judgeMemory(update(multus(live), multus('50Mi')), worldOf(yaml));
    t.equal(operations[0]?.value, wanted);
    t.end();
  });

const CONTENDED: readonly { name: string; live: string; sent: string; contended: string[] }[] = [
  { name: 'the lower value again', live: '500Mi', sent: '50Mi', contended: ['multus'] },
  { name: 'a lower value, and the stored one is kept', live: '600Mi', sent: '50Mi', contended: ['multus'] },
  { name: 'the first raise', live: '50Mi', sent: '50Mi', contended: [] },
  { name: 'a raise of what was far higher', live: '2Gi', sent: '50Mi', contended: [] },
  { name: 'what is stored', live: '500Mi', sent: '500Mi', contended: [] },
];

for (const { name, live, sent, contended } of CONTENDED)
  t.test(`contention: ${name}`, (t) => {
    t.same(judgeMemory(update(multus(live), multus(sent)), worldOf()).contended, contended);
    t.end();
  });

t.test('contention: a missing CDI limit, again', (t) => {
  const stored = { ...cdi(), spec: { config: { podResourceRequirements: { limits: { memory: '2Gi' } } } } };
  t.same(judgeMemory(update(stored, cdi()), worldOf()).contended, ['cdi']);
  t.same(judgeMemory(update(cdi(), cdi()), worldOf()).contended, []);
  t.same(judgeMemory(creation(cdi()), worldOf()).contended, []);
  t.end();
});

t.test('what its operator owns is skipped, and the writer is told where to turn', (t) => {
  const object = {
    ...cdi(),
    metadata: {
      name: 'cdi',
      ownerReferences: [
        { apiVersion: 'hco.kubevirt.io/v1beta1', kind: 'HyperConverged', name: 'x', uid: 'y' },
      ],
    },
  };
  const judgement = judgeMemory(creation(object), worldOf());
  t.same(shapes(judgement), ['skip cdi']);
  t.match(judgement.outcomes[0], {
    message: /^CDI cdi: not judged: /,
    warning: /^CDI cdi: .*HyperConverged/,
  });
  t.same(judgement.operations, []);
  t.end();
});

t.test('a daemon of one’s own that is also Multus ends at the higher floor', (t) => {
  const world = worldOf(`memoryFloor:
  additional:
    - name: big-multus
      match: { container: { command: multus-daemon } }
      curve: { base: 1Gi, perPod: 0, step: 1Mi, min: 1Gi, max: 2Gi }
`);
  const judgement = judgeMemory(creation(multus('50Mi')), world);
  t.same(shapes(judgement), ['multus warn', 'big-multus warn']);
  const applied = applyOperations(multus('50Mi') as JsonObject, judgement.operations);
  t.same(applied.ok && applied.object, multus('1Gi'));
  t.end();
});

t.test('judgeObject says what both webhooks together would', async (t) => {
  const { signal } = new AbortController();
  const kinds = async (object: object) =>
    (await judgeObject(creation(object), worldOf(), signal)).map((outcome) =>
      outcome.kind === 'finding' ? outcome.finding.policy : outcome.policy,
    );
  t.same(await kinds(dataVolume('http://images.example/', '30Gi')), ['volume-size']);
  t.same(await kinds(cdi()), ['memory-floor']);
  t.same(await kinds({ apiVersion: 'v1', kind: 'Pod' }), []);
});
