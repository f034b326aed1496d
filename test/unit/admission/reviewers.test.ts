import t from 'tap';
import type { AdmissionRequest } from '../../../src/admission/review.ts';
import { mutatingReviewer, validatingReviewer } from '../../../src/admission/reviewers.ts';
import type { World } from '../../../src/evaluate/world.ts';
import type { JsonObject } from '../../../src/object/object.ts';
import type { Outcome } from '../../../src/policy/outcome.ts';
import { cdi, dataVolume, multus } from '../../integration/harness.ts';
import { worldOf } from '../evaluate/world.ts';

const { signal } = new AbortController();

function requestOf(object: object | null, over: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: 'u',
    operation: 'CREATE',
    namespace: 'images',
    object: object as JsonObject | null,
    oldObject: null,
    dryRun: false,
    ...over,
  };
}

/** Both reviewers, and what they told of. */
function reviewers(world: World) {
  const observed: (readonly Outcome[])[] = [];
  const observe = (outcomes: readonly Outcome[]) => void observed.push(outcomes);
  const [validate, mutate] = [
    validatingReviewer(() => world, observe),
    mutatingReviewer(() => world, observe),
  ];
  return { validate, mutate, observed };
}

t.test('volumes are validated, and not mutated', async (t) => {
  const { validate, mutate, observed } = reviewers(worldOf());
  const request = requestOf(dataVolume('http://images.example/', '30Gi'));
  t.match(await validate(request, signal), { allowed: false, patch: [], denial: { code: 403 } });
  t.match(await mutate(request, signal), { allowed: true, patch: [], warnings: [] });
  t.same(
    observed.map((outcomes) => outcomes.length),
    [1, 0],
  );
});

t.test('floors that mutate are the mutating webhook’s', async (t) => {
  const { validate, mutate } = reviewers(worldOf());
  for (const object of [multus('50Mi'), cdi()]) {
    const mutated = await mutate(requestOf(object), signal);
    t.ok(mutated.patch.length > 0);
    t.equal(mutated.warnings.length, 1);
    t.match(await validate(requestOf(object), signal), { allowed: true, warnings: [], patch: [] });
  }
});

t.test('floors that deny are the validating webhook’s', async (t) => {
  const { validate, mutate } = reviewers(
    worldOf('memoryFloor: { targets: { multus: { action: deny }, cdi: { action: warn } } }'),
  );
  t.match(await validate(requestOf(multus('50Mi')), signal), { allowed: false, patch: [] });
  t.match(await mutate(requestOf(multus('50Mi')), signal), { allowed: true, patch: [], warnings: [] });
  const warned = await validate(requestOf(cdi()), signal);
  t.equal(warned.allowed, true);
  t.equal(warned.warnings.length, 1);
});

t.test('a lower limit that is written again is told as contention, unless nothing is written', async (t) => {
  const told: (readonly string[])[] = [];
  const mutate = mutatingReviewer(
    () => worldOf(),
    (_, contended) => void told.push(contended),
  );
  const oldObject = multus('500Mi') as JsonObject;
  for (const dryRun of [false, true])
    await mutate(requestOf(multus('50Mi'), { operation: 'UPDATE', oldObject, dryRun }), signal);
  await mutate(requestOf(multus('50Mi')), signal);
  t.same(told, [['multus'], [], []]);
});

const NOTHING: readonly { name: string; request: AdmissionRequest }[] = [
  { name: 'DELETE', request: requestOf(null, { operation: 'DELETE', oldObject: cdi() as JsonObject }) },
  { name: 'CONNECT', request: requestOf(cdi(), { operation: 'CONNECT' }) },
  { name: 'an operation of the future', request: requestOf(cdi(), { operation: 'PATCH' }) },
  { name: 'no object', request: requestOf(null) },
];

for (const { name, request } of NOTHING)
  t.test(`nothing to judge: ${name}`, async (t) => {
    const broken = () => {
      throw new Error('nobody may ask');
    };
    for (const reviewer of [validatingReviewer(broken, broken), mutatingReviewer(broken, broken)])
      t.match(await reviewer(request, signal), { allowed: true, patch: [], warnings: [] });
  });
