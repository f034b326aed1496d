import t from 'tap';
import { configMapPath, leasePath } from '../../../src/kube/path.ts';

t.test('paths', async (t) => {
  t.equal(configMapPath('a', 'b'), '/api/v1/namespaces/a/configmaps/b');
  t.equal(configMapPath('a'), '/api/v1/namespaces/a/configmaps');
  t.equal(leasePath('a', 'b'), '/apis/coordination.k8s.io/v1/namespaces/a/leases/b');
  t.equal(leasePath('a'), '/apis/coordination.k8s.io/v1/namespaces/a/leases');
  t.equal(configMapPath('../x?', 'a/b'), '/api/v1/namespaces/..%2Fx%3F/configmaps/a%2Fb');
});
