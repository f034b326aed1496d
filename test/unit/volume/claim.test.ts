import t from 'tap';
import { readClaim, readDataVolumeClaim } from '../../../src/volume/claim.ts';

const sized = (storage: unknown, more = {}) => ({ resources: { requests: { storage } }, ...more });

t.test('what a spec asks for', (t) => {
  const reading = readDataVolumeClaim(
    {
      storage: sized('10Gi', {
        storageClassName: 'fast',
        volumeMode: 'Block',
        accessModes: ['ReadWriteMany', 7],
      }),
    },
    'spec',
  );
  t.same(reading, {
    kind: 'claim',
    claim: {
      api: 'storage',
      requested: { text: '10Gi', nanos: 10737418240000000000n },
      field: 'spec.storage.resources.requests.storage',
      className: 'fast',
      mode: 'Block',
      accessModes: ['ReadWriteMany'],
    },
  });
  t.match(readDataVolumeClaim({ pvc: sized('1Gi', { storageClassName: '' }) }, 'spec.template.spec'), {
    claim: {
      api: 'pvc',
      field: 'spec.template.spec.pvc.resources.requests.storage',
      className: '',
      mode: null,
    },
  });
  t.match(readDataVolumeClaim({ storage: null, pvc: sized('1Gi') }, 'spec'), { claim: { api: 'pvc' } });
  t.match(readClaim(sized('1Gi', { volumeMode: 'FromStorageProfile' }), 'storage', 'spec'), {
    claim: { mode: 'from-profile' },
  });
  t.match(readClaim(sized('1Gi', { volumeMode: 'Tape', storageClassName: 3 }), 'pvc', 'spec'), {
    claim: { mode: null, className: null, field: 'spec.resources.requests.storage' },
  });
  t.end();
});

t.test('sizes, on both sides of what CDI takes', (t) => {
  const size = 'spec.storage.resources.requests.storage';
  const rows: [string, unknown, string][] = [
    ['1 MiB', { storage: sized('1Mi') }, 'claim'],
    ['1 MiB as a number', { storage: sized(1048576) }, 'claim'],
    ['a part of a byte under 1 MiB counts as a byte', { storage: sized('1048575500m') }, 'claim'],
    ['one byte under 1 MiB', { storage: sized(1048575) }, `bad-size at ${size}`],
    ['1e3', { storage: sized('1e3') }, `bad-size at ${size}`],
    ['500m', { storage: sized('500m') }, `bad-size at ${size}`],
    ['zero', { storage: sized('0') }, `bad-size at ${size}`],
    ['negative', { storage: sized('-1Gi') }, `bad-size at ${size}`],
    ['not a quantity', { storage: sized('10 Gi') }, `bad-size at ${size}`],
    ['an object', { storage: sized({}) }, `bad-size at ${size}`],
    ['no size', { storage: {} }, `no-size at ${size}`],
    ['null', { storage: sized(null) }, `no-size at ${size}`],
    ['neither half', {}, 'no-size at spec.pvc.resources.requests.storage'],
    ['no spec', undefined, 'no-size at spec.pvc.resources.requests.storage'],
    ['both halves', { storage: sized('1Gi'), pvc: sized('1Gi') }, 'bad-size at spec'],
  ];
  for (const [name, spec, wanted] of rows) {
    const reading = readDataVolumeClaim(spec, 'spec');
    t.equal(reading.kind === 'claim' ? 'claim' : `${reading.code} at ${reading.field}`, wanted, name);
  }
  t.equal(readClaim(sized('1'), 'pvc', 'spec').kind, 'claim', 'a PVC of its own may have one byte');
  t.equal(readClaim(sized('0'), 'pvc', 'spec').kind, 'skip', 'but not none');
  t.end();
});
