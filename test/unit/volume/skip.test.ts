import t from 'tap';
import {
  SKIP_REASONS,
  skip,
  skipByAnnotations,
  skipByContent,
  skipIfBeingDeleted,
} from '../../../src/volume/skip.ts';

t.test('a skip has the reason of its code, or a closer one', (t) => {
  t.same(skip('blank', 'spec.source.blank'), {
    kind: 'skip',
    code: 'blank',
    reason: SKIP_REASONS.blank,
    field: 'spec.source.blank',
  });
  t.equal(skip('bad-size', 'spec', 'it is odd').reason, 'it is odd');
  for (const [code, reason] of Object.entries(SKIP_REASONS)) t.match(reason, /^its? [^.]+$/, code);
  t.end();
});

t.test('annotations of volumes that have their data already', (t) => {
  const rows: [string, Record<string, unknown>, string | undefined][] = [
    ['none', {}, undefined],
    ['prePopulated', { 'cdi.kubevirt.io/storage.prePopulated': 'pvc' }, 'pre-populated'],
    ['prePopulated, empty', { 'cdi.kubevirt.io/storage.prePopulated': '' }, 'pre-populated'],
    ['populatedFor', { 'cdi.kubevirt.io/storage.populatedFor': 'dv' }, 'populated-for'],
    ['checkStaticVolume', { 'cdi.kubevirt.io/storage.checkStaticVolume': '' }, 'static-volume'],
    ['allowClaimAdoption', { 'cdi.kubevirt.io/allowClaimAdoption': 'true' }, 'claim-adoption'],
    ['allowClaimAdoption as Go reads it', { 'cdi.kubevirt.io/allowClaimAdoption': 'T' }, 'claim-adoption'],
    ['allowClaimAdoption refused', { 'cdi.kubevirt.io/allowClaimAdoption': 'false' }, undefined],
    ['allowClaimAdoption, no truth value', { 'cdi.kubevirt.io/allowClaimAdoption': 'yes' }, undefined],
    ['not a string', { 'cdi.kubevirt.io/storage.prePopulated': {} }, undefined],
    ['others', { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' }, undefined],
  ];
  for (const [name, annotations, code] of rows) {
    const skipped = skipByAnnotations({ metadata: { annotations } }, 'spec.template.');
    t.equal(skipped?.code, code, name);
    if (skipped) t.equal(skipped.field, 'spec.template.metadata.annotations', name);
  }
  t.equal(skipByAnnotations(undefined, ''), null);
  t.end();
});

t.test('content that one image does not fill', (t) => {
  const rows: [string, unknown, string | undefined][] = [
    ['nothing said', {}, undefined],
    ['kubevirt', { contentType: 'kubevirt' }, undefined],
    ['archive', { contentType: 'archive' }, 'archive at spec.contentType'],
    ['checkpoints', { checkpoints: [{ current: 'a', previous: '' }] }, 'checkpoints at spec.checkpoints'],
    ['an empty list of checkpoints', { checkpoints: [], finalCheckpoint: true }, undefined],
    ['no spec', undefined, undefined],
  ];
  for (const [name, spec, wanted] of rows) {
    const skipped = skipByContent(spec, 'spec');
    t.equal(skipped ? `${skipped.code} at ${skipped.field}` : undefined, wanted, name);
  }
  t.end();
});

t.test('objects on their way out', (t) => {
  t.equal(
    skipIfBeingDeleted({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })?.code,
    'being-deleted',
  );
  t.equal(skipIfBeingDeleted({ metadata: { deletionTimestamp: null } }), null);
  t.equal(skipIfBeingDeleted({}), null);
  t.end();
});
