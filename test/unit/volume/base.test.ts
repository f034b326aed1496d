import t from 'tap';
import { baseOf, TEMPLATE_OF_CRON, TEMPLATE_OF_MACHINE } from '../../../src/volume/base.ts';
import { dataVolume, imports } from './objects.ts';

const owner = (kind: string, apiVersion: string) => ({ ownerReferences: [{ kind, apiVersion, name: 'x' }] });

t.test('base or not', (t) => {
  const rows: [string, Record<string, unknown>, boolean][] = [
    ['on its own', {}, true],
    ['made by a DataImportCron', { labels: { 'cdi.kubevirt.io/dataImportCron': 'fedora' } }, true],
    ['owned by a VirtualMachine', owner('VirtualMachine', 'kubevirt.io/v1'), false],
    ['owned by a VirtualMachine of an old version', owner('VirtualMachine', 'kubevirt.io/v1alpha3'), false],
    ['owned by a VirtualMachine of another group', owner('VirtualMachine', 'example.com/v1'), true],
    ['owned by something else', owner('Deployment', 'apps/v1'), true],
    [
      'owned by a VirtualMachine among others',
      {
        ownerReferences: [
          null,
          { kind: 'ConfigMap' },
          { kind: 'VirtualMachine', apiVersion: 'kubevirt.io/v1' },
        ],
      },
      false,
    ],
    ['made by KubeVirt', { labels: { 'kubevirt.io/created-by': '8f1c' } }, false],
    ['the label is empty', { labels: { 'kubevirt.io/created-by': '' } }, true],
    ['metadata that is garbage', { ownerReferences: 'VirtualMachine', labels: [] }, true],
  ];
  for (const [name, metadata, isBase] of rows)
    t.equal(baseOf(dataVolume(imports('10Gi'), metadata)).isBase, isBase, name);
  t.equal(TEMPLATE_OF_CRON.isBase, true);
  t.equal(TEMPLATE_OF_MACHINE.isBase, false);
  t.end();
});
