import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parseAllDocuments } from 'yaml';
import { fitWarnings } from '../../src/admission/review.ts';
import { report } from '../../src/cli/report.ts';
import type { JsonObject } from '../../src/object/object.ts';
import { run } from '../unit/cli/terminal.ts';
import { cdi, configurationOf, dataVolume, multus, samples, startWebhook } from './harness.ts';

// Keys take a while to make on a busy machine.
t.setTimeout(120_000);

const origin = await samples(t);
const FEDORA = `${origin}/fedora.qcow2`;
const OVERLAY = `${origin}/overlay.qcow2`;

/** What both are told to do; what either says has to be the same under each. */
const CONFIGURATIONS: readonly { name: string; over: Readonly<Record<string, unknown>> }[] = [
  { name: 'the defaults', over: {} },
  {
    name: 'floors that are denied, warned of and audited',
    over: {
      memoryFloor: {
        density: { statistic: 'fixed', pods: 110 },
        targets: { multus: { action: 'deny' }, cdi: { action: 'warn' }, hyperconverged: { action: 'audit' } },
      },
    },
  },
  {
    name: 'exemptions, and everything denied',
    over: {
      volumeSize: {
        overheadFormula: 'multiply',
        actions: { tight: 'deny', 'unusable-image': 'deny', 'unknown-image': 'deny', 'host-assisted': 'off' },
      },
      exemptions: [
        { names: ['fedora'], rules: ['oversized'], reason: 'it grows' },
        { namespaces: ['kube-system'], rules: ['memory-floor'], reason: 'tested' },
      ],
      exemptionAnnotation: { namespaces: ['im*'] },
    },
  },
];

const manifestsOf = (file: string): JsonObject[] =>
  parseAllDocuments(readFileSync(new URL(`../fixtures/manifests/${file}`, import.meta.url), 'utf8')).map(
    (document) => document.toJS() as JsonObject,
  );

const virtualMachine = (size: string) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'desktop', namespace: 'desktops' },
  spec: {
    dataVolumeTemplates: [
      {
        metadata: { name: 'desktop-root' },
        spec: {
          source: { http: { url: FEDORA } },
          storage: { resources: { requests: { storage: size } } },
        },
      },
    ],
  },
});

const OBJECTS: readonly { name: string; object: object }[] = [
  ...['30Gi', '20Gi', '10Gi', '10G', '5Gi', 'much'].map((size) => ({
    name: `a base of ${size}`,
    object: dataVolume(FEDORA, size),
  })),
  { name: 'a base of another name', object: dataVolume(FEDORA, '30Gi', { name: 'debian' }) },
  {
    name: 'a base that exempts itself',
    object: dataVolume(FEDORA, '30Gi', {
      name: 'own',
      annotations: { 'plimsoll.dev/exempt': 'oversized: the appliance grows into it' },
    }),
  },
  { name: 'an overlay', object: dataVolume(OVERLAY, '10Gi') },
  { name: 'an overlay that is too small', object: dataVolume(OVERLAY, '1Gi') },
  { name: 'a missing image', object: dataVolume(`${origin}/missing.qcow2`, '10Gi') },
  { name: 'an image that may not be looked at', object: dataVolume('http://169.254.169.254/', '10Gi') },
  { name: 'a name that is very long', object: dataVolume(OVERLAY, '10Gi', { name: 'n'.repeat(253) }) },
  { name: 'a VM of 5Gi', object: virtualMachine('5Gi') },
  { name: 'a VM of 100Gi', object: virtualMachine('100Gi') },
  { name: 'Multus', object: multus('50Mi') },
  { name: 'Multus with enough', object: multus('4Gi') },
  { name: 'a CDI', object: cdi() },
  {
    name: 'a CDI with enough',
    object: cdi({ config: { podResourceRequirements: { limits: { memory: '4Gi' } } } }),
  },
  {
    name: 'a CDI that its operator owns',
    object: {
      ...cdi(),
      metadata: {
        name: 'cdi',
        labels: { 'app.kubernetes.io/managed-by': 'hco-operator' },
        ownerReferences: [
          { apiVersion: 'hco.kubevirt.io/v1beta1', kind: 'HyperConverged', name: 'x', uid: 'y' },
        ],
      },
    },
  },
  { name: 'a Pod', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } } },
  ...['multus.yaml', 'cdi.yaml', 'volumes.yaml'].flatMap((file) =>
    manifestsOf(file).map((object, index) => ({ name: `${file}, ${index}`, object })),
  ),
];

interface Line {
  readonly policy: string;
  readonly result: string;
  readonly message: string;
  readonly rule: string;
  readonly properties: Readonly<Record<string, string>>;
}

for (const { name, over } of CONFIGURATIONS)
  t.test(`under ${name} the report says what the webhook does, word for word`, async (t) => {
    const configuration = {
      probe: { addresses: { mode: 'allowlist', allow: [new URL(origin).host] } },
      ...over,
    };
    const webhook = await startWebhook(t, configuration);
    const file = join(webhook.folder, 'report.yaml');
    await writeFile(file, JSON.stringify(configurationOf(webhook.folder, configuration)));

    for (const { name, object } of OBJECTS) {
      const [validated, mutated] = [
        await webhook.review('/validate', { object }),
        await webhook.review('/mutate', { object }),
      ];
      const { code, stdout } = await run(report, ['-f', '-', '--config', file], {
        stdin: JSON.stringify(object),
      });
      const { results } = JSON.parse(stdout) as { results: Line[] };
      const failed = results.filter(({ result }) => result === 'fail').map(({ message }) => message);
      t.equal(validated.status?.message ?? '', failed.join(' '), `${name}: the denial`);
      t.equal(validated.allowed, code !== 2, `${name}: the verdict`);

      const told = results.filter(({ result }) => result === 'warn' || result === 'error');
      t.same(
        [...(validated.warnings ?? []), ...(mutated.warnings ?? [])].sort(),
        told.flatMap(({ message }) => fitWarnings([message])).sort(),
        `${name}: the warnings`,
      );
      const audited = { ...validated.auditAnnotations, ...mutated.auditAnnotations };
      for (const [rule, text] of Object.entries(audited))
        t.ok(
          results.some((line) => line.rule === rule && isSameVerdict(text, line)),
          `${name}: ${rule} is in the report as in the audit log: ${text}`,
        );
      const raised = results.some(
        ({ rule, result }) => result === 'warn' && rule in (mutated.auditAnnotations ?? {}),
      );
      t.equal(mutated.patch !== undefined, raised, `${name}: the patch`);
    }
  });

function isSameVerdict(audited: string, { result, properties }: Line): boolean {
  const verdict = audited.split(' ')[0]!;
  if (verdict === 'exempt') return result === 'skip' && audited.includes(`(${properties['exempted']})`);
  if (verdict === 'deny') return result === 'fail';
  return verdict === 'audit' ? result === 'pass' : result === 'warn' || result === 'error';
}
