import t from 'tap';
import { DEFAULT_STORAGE } from '../../../src/volume/facts.ts';
import { readVirtualMachine } from '../../../src/volume/machine.ts';
import { brief, imports, machine, volumeOf } from './objects.ts';

const create = { operation: 'CREATE', storage: DEFAULT_STORAGE } as const;
const update = { operation: 'UPDATE', storage: DEFAULT_STORAGE } as const;
const template = (name: string, spec: unknown, metadata = {}) => ({ metadata: { name, ...metadata }, spec });
const root = template('root', imports('100Gi'));
const at = (index: number) => `spec.dataVolumeTemplates[${index}].spec.storage.resources.requests.storage`;

t.test('every template is read, with its index', (t) => {
  const blank = template('data', { source: { blank: {} }, storage: {} });
  const adopted = template('old', imports('1Gi'), {
    annotations: { 'cdi.kubevirt.io/allowClaimAdoption': 'true' },
  });
  const outcomes = readVirtualMachine(machine(root, blank, adopted, null), null, create);
  t.same(outcomes.map(brief), [
    `volume at ${at(0)}`,
    'blank at spec.dataVolumeTemplates[1].spec.source.blank',
    'claim-adoption at spec.dataVolumeTemplates[2].metadata.annotations',
    'no-source at spec.dataVolumeTemplates[3].spec',
  ]);
  t.equal(volumeOf(outcomes[0]).base.isBase, false, 'the disk of one machine is not a base');
  t.same(readVirtualMachine(machine(), null, create), [], 'no templates');
  t.same(readVirtualMachine({ spec: { dataVolumeTemplates: {} } }, null, create), [], 'garbage');
  t.end();
});

t.test('on UPDATE only what changed', (t) => {
  const old = machine(root, template('data', imports('20Gi')));
  const rows: [string, unknown[], string[]][] = [
    [
      'nothing',
      [root, template('data', imports('20Gi'))],
      [`unchanged at ${at(0)}`, `unchanged at ${at(1)}`],
    ],
    [
      'another order',
      [template('data', imports('20Gi')), root],
      [`unchanged at ${at(0)}`, `unchanged at ${at(1)}`],
    ],
    ['another spelling', [template('root', imports('102400Mi'))], [`unchanged at ${at(0)}`]],
    [
      'a field that says nothing of the size',
      [template('root', { ...imports('100Gi'), priorityClassName: 'p' })],
      [`unchanged at ${at(0)}`],
    ],
    ['the size', [template('root', imports('101Gi'))], [`volume at ${at(0)}`]],
    [
      'the volume mode',
      [template('root', imports('100Gi', { volumeMode: 'Block' }))],
      [`volume at ${at(0)}`],
    ],
    [
      'the image',
      [template('root', { ...imports('100Gi'), source: { http: { url: 'http://other' } } })],
      [`volume at ${at(0)}`],
    ],
    [
      'a new template',
      [root, template('third', imports('20Gi'))],
      [`unchanged at ${at(0)}`, `volume at ${at(1)}`],
    ],
  ];
  for (const [name, templates, wanted] of rows)
    t.same(readVirtualMachine(machine(...templates), old, update).map(brief), wanted, name);
  const before = machine(template('root', { source: { blank: {} }, storage: {} }));
  t.same(
    readVirtualMachine(machine(root), before, update).map(brief),
    [`volume at ${at(0)}`],
    'blank before',
  );
  t.same(readVirtualMachine(machine(root), null, update).map(brief), [`volume at ${at(0)}`], 'no old object');
  t.same(readVirtualMachine(machine(root), old, create).map(brief), [`volume at ${at(0)}`], 'CREATE');
  t.end();
});

t.test('a machine on its way out is left alone', (t) => {
  const gone = { ...machine(root), metadata: { deletionTimestamp: 'now' } };
  t.same(readVirtualMachine(gone, null, update).map(brief), ['being-deleted at metadata.deletionTimestamp']);
  t.end();
});
