import t from 'tap';
import { labelOf, referenceOf } from '../../../src/evaluate/subject.ts';
import { creation } from './world.ts';

const reference = { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: 'n', uid: '' };

t.test('an object as people name it', (t) => {
  t.equal(labelOf(reference), 'Pod ns/n');
  t.equal(labelOf({ ...reference, namespace: '' }), 'Pod n');
  t.equal(labelOf({ ...reference, name: '' }), 'Pod ns/(unnamed)');
  t.end();
});

t.test('the namespace is the object’s, else the request’s', (t) => {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name: 'n' } };
  t.same(referenceOf(creation(object, 'of-the-request')), reference);
  t.equal(referenceOf(creation({ ...object, metadata: {} }, 'of-the-request')).namespace, 'of-the-request');
  t.end();
});
