import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { applyOperations } from '../../src/floor/apply.ts';
import type { PatchOperation } from '../../src/floor/floor.ts';
import type { JsonObject } from '../../src/object/object.ts';
import {
  cdi,
  dataVolume,
  multus,
  patchOf,
  type ReviewResponse,
  responseOf,
  reviewOf,
  samples,
  startWebhook,
} from './harness.ts';

// Keys take a while to make on a busy machine.
t.setTimeout(120_000);

const origin = await samples(t);
const FEDORA = `${origin}/fedora.qcow2`;
const webhook = await startWebhook(t, {
  probe: { addresses: { mode: 'allowlist', allow: [new URL(origin).host] } },
});

const validate = (object: object, over: object = {}) => webhook.review('/validate', { object, ...over });
const mutate = (object: object, over: object = {}) => webhook.review('/mutate', { object, ...over });

/** The object as the API server would store it. */
function stored(object: object, response: ReviewResponse): unknown {
  const applied = applyOperations(object as JsonObject, patchOf(response) as PatchOperation[]);
  return applied.ok ? applied.object : applied.fault;
}

t.test('the story: a base of 30Gi for 10 GiB is denied, with the size that will pass', async (t) => {
  const { allowed, status, patch } = await validate(dataVolume(FEDORA, '30Gi'));
  t.equal(allowed, false);
  t.equal(patch, undefined);
  t.same(status, {
    code: 403,
    reason: 'Forbidden',
    message:
      'DataVolume images/fedora: spec.storage.resources.requests.storage asks for 30Gi, but the image is a qcow2 whose ' +
      'disk is 10Gi once decompressed, 1.1GB of data: 3x its disk and 29x its data. Every clone of this base will be at ' +
      'least as large. Accepted: 10Gi to 20Gi. Ask for 10Gi. To keep it, have a cluster administrator add an exemption ' +
      "for rule oversized to Plimsoll's configuration.",
  });
});

t.test('the story: cut blindly to 5Gi it is denied as well', async (t) => {
  const { allowed, status } = await validate(dataVolume(FEDORA, '5Gi'));
  t.equal(allowed, false);
  t.match(
    status?.message,
    'CDI would fail with "DataVolume too small to contain image". Accepted: 10Gi to 20Gi. Ask for 10Gi.',
  );
});

t.test('the story: 10Gi passes', async (t) => {
  const response = await validate(dataVolume(FEDORA, '10Gi'));
  t.equal(response.allowed, true);
  t.equal(response.status, undefined);
  t.equal(response.warnings, undefined);
});

t.test('the story: Multus is raised, request and limit together', async (t) => {
  const object = multus('50Mi');
  const response = await mutate(object);
  t.equal(response.allowed, true);
  t.equal(response.patchType, 'JSONPatch');
  t.same(stored(object, response), multus('500Mi'));
  t.match(response.warnings?.[0], 'is 50Mi, below the floor of 500Mi for 90 pods on a node; raised to 500Mi');
});

t.test('the story: a CDI without limits gets 2Gi, and nothing else', async (t) => {
  const object = cdi({ imagePullPolicy: 'IfNotPresent' });
  t.same(
    stored(object, await mutate(object)),
    cdi({
      imagePullPolicy: 'IfNotPresent',
      config: { podResourceRequirements: { limits: { memory: '2Gi' } } },
    }),
  );
});

t.test('what is stored once is not patched again', async (t) => {
  for (const object of [
    multus('500Mi'),
    cdi({ config: { podResourceRequirements: { limits: { memory: '2Gi' } } } }),
  ])
    for (const over of [{}, { operation: 'UPDATE', oldObject: object }])
      t.same(patchOf(await mutate(object, over)), []);
  const { patch, warnings } = await mutate(
    cdi({ config: { podResourceRequirements: { limits: { memory: '4Gi' } } } }),
  );
  t.equal(patch, undefined);
  t.equal(warnings, undefined);
});

t.test('a stored limit is kept up to a quarter over the floor, and no further', async (t) => {
  const update = async (live: string) => {
    const object = multus('50Mi');
    return stored(object, await mutate(object, { operation: 'UPDATE', oldObject: multus(live) }));
  };
  t.same(await update('625Mi'), multus('625Mi'));
  t.same(await update('626Mi'), multus('500Mi'));
});

t.test('a dry run is answered as the real thing', async (t) => {
  const object = dataVolume(FEDORA, '30Gi');
  const [real, dry] = [await validate(object), await validate(object, { dryRun: true })];
  t.same({ ...dry, uid: '' }, { ...real, uid: '' });
});

t.test('the audit log gets the figures', async (t) => {
  const { auditAnnotations } = await validate(dataVolume(FEDORA, '30Gi'));
  t.same(auditAnnotations, {
    oversized: 'deny requested=30Gi virtualSize=10737418240 storedSize=1100000000',
  });
});

t.test('the namespace of the request is the object’s, where it names none', async (t) => {
  const { status } = await validate(dataVolume(FEDORA, '30Gi', { namespace: undefined }), {
    namespace: 'elsewhere',
  });
  t.match(status?.message, /^DataVolume elsewhere\/fedora: /);
});

t.test('an unusable image passes with a warning', async (t) => {
  const { allowed, warnings } = await validate(dataVolume(`${origin}/overlay.qcow2`, '10Gi'));
  t.equal(allowed, true);
  t.match(warnings, [/needs a backing file, which CDI refuses/]);
});

t.test('an image that is not there passes with a warning', async (t) => {
  const { allowed, warnings } = await validate(dataVolume(`${origin}/missing.qcow2`, '10Gi'));
  t.equal(allowed, true);
  t.match(warnings, [/could not be looked at: its server does not have it \(not-found\)$/]);
});

const FORBIDDEN = [
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:169.254.169.254]/',
  'http://127.0.0.1:1/image.qcow2',
  'http://localhost:1/image.qcow2',
  'file:///etc/passwd',
  'http://',
  'not a URL',
];

for (const url of FORBIDDEN)
  t.test(`an address that may not be dialled is not: ${url}`, async (t) => {
    const { allowed, warnings } = await validate(dataVolume(url, '10Gi'));
    t.equal(allowed, true);
    t.match(warnings, [/^DataVolume images\/fedora: the image could not be looked at: .+$/]);
    t.notMatch(warnings?.join(), '169.254');
  });

t.test('headers that cannot be sent are no error of ours', async (t) => {
  const object = dataVolume(FEDORA, '10Gi') as { spec: { source: { http: object } } };
  for (const extraHeaders of [['bad name: x'], ['X: a\r\nHost: b'], ['X: \u{1f600}'], [1, null], 'X: y']) {
    object.spec.source.http = { url: FEDORA, extraHeaders };
    const { allowed } = await validate(object);
    t.equal(allowed, true, JSON.stringify(extraHeaders));
  }
  t.notMatch(webhook.log(), 'review failed');
});

t.test('an image server that never answers costs no more than the API server’s patience', async (t) => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/never.qcow2`;
  const patient = await startWebhook(t, {
    probe: {
      addresses: { mode: 'any' },
      timeoutMilliseconds: 30_000,
      idleTimeoutMilliseconds: 30_000,
    },
  });
  const body = JSON.stringify(reviewOf({ uid: 'u', operation: 'CREATE', object: dataVolume(url, '10Gi') }));
  // Were the timeout not heeded, nothing would end this test but the runner's own limit.
  const { allowed, warnings } = responseOf(await patient.send('/validate?timeout=1s', body), 'u');
  t.equal(allowed, true);
  t.match(warnings, [/its server did not answer in time \(timed-out\)$/]);
});

const UNTOUCHED: readonly { name: string; request: object }[] = [
  { name: 'DELETE', request: { operation: 'DELETE', object: null, oldObject: dataVolume(FEDORA, '30Gi') } },
  {
    name: 'DELETE of a CDI',
    request: { operation: 'DELETE', object: null, oldObject: cdi() },
  },
  {
    name: 'CONNECT',
    request: { operation: 'CONNECT', object: { apiVersion: 'v1', kind: 'PodExecOptions' } },
  },
  { name: 'CONNECT with one of our kinds', request: { operation: 'CONNECT', object: cdi() } },
  { name: 'no operation', request: { operation: undefined, object: dataVolume(FEDORA, '30Gi') } },
  { name: 'object null', request: { operation: 'CREATE', object: null } },
  { name: 'no object', request: { operation: 'CREATE' } },
  { name: 'an object that is a text', request: { operation: 'CREATE', object: 'DataVolume' } },
  {
    name: 'an object that is a list',
    request: { operation: 'CREATE', object: [dataVolume(FEDORA, '30Gi')] },
  },
  { name: 'an empty object', request: { object: {} } },
  { name: 'an unknown kind', request: { object: { apiVersion: 'example.com/v1', kind: 'Thing' } } },
  {
    name: 'a DataVolume of another group',
    request: { object: { ...dataVolume(FEDORA, '30Gi'), apiVersion: 'example.com/v1beta1' } },
  },
  { name: 'a Pod', request: { object: { apiVersion: 'v1', kind: 'Pod', spec: { containers: [] } } } },
  {
    name: 'an UPDATE of a DataVolume, which is CDI’s own bookkeeping',
    request: {
      operation: 'UPDATE',
      object: dataVolume(FEDORA, '30Gi'),
      oldObject: dataVolume(FEDORA, '30Gi'),
    },
  },
  {
    name: 'a DataVolume on its way out',
    request: { object: dataVolume(FEDORA, '30Gi', { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
  },
  {
    name: 'a CDI on its way out',
    request: {
      operation: 'UPDATE',
      object: { ...cdi(), metadata: { name: 'cdi', deletionTimestamp: '2026-01-01T00:00:00Z' } },
      oldObject: cdi(),
    },
  },
];

for (const { name, request } of UNTOUCHED)
  t.test(`allowed untouched: ${name}`, async (t) => {
    for (const path of ['/validate', '/mutate']) {
      const { allowed, patch, warnings } = await webhook.review(path, request);
      t.equal(allowed, true, path);
      t.equal(patch, undefined, path);
      t.equal(warnings, undefined, path);
    }
  });

t.test('objects of odd shapes are allowed', async (t) => {
  const shapes: readonly unknown[] = [null, 1, 'x', true, [], [null], {}, { a: { b: [] } }];
  const kinds = [
    ['cdi.kubevirt.io/v1beta1', 'DataVolume'],
    ['cdi.kubevirt.io/v1beta1', 'DataImportCron'],
    ['kubevirt.io/v1', 'VirtualMachine'],
    ['apps/v1', 'DaemonSet'],
    ['cdi.kubevirt.io/v1beta1', 'CDI'],
    ['hco.kubevirt.io/v1beta1', 'HyperConverged'],
  ];
  for (const [apiVersion, kind] of kinds)
    for (const shape of shapes)
      for (const object of [
        { apiVersion, kind, metadata: shape, spec: shape },
        {
          apiVersion,
          kind,
          metadata: { name: 'x', labels: shape, annotations: shape },
          spec: { template: shape },
        },
        {
          apiVersion,
          kind,
          spec: { source: shape, storage: shape, pvc: shape, dataVolumeTemplates: [shape] },
        },
        { apiVersion, kind, spec: { template: { spec: { containers: [shape], initContainers: shape } } } },
      ])
        for (const path of ['/validate', '/mutate']) {
          const response = await webhook.review(path, { object });
          t.equal(response.allowed, true, JSON.stringify(object));
          t.equal(typeof stored(object, response), 'object', 'a patch applies');
        }
  t.notMatch(webhook.log(), 'review failed');
});
