import t from 'tap';
import { isDigest, parseReference } from '../../../src/source/reference.ts';

const DIGEST = `sha256:${'0a'.repeat(32)}`;

t.test('references that the container tools accept', (t) => {
  const rows: [string, string, string, string][] = [
    ['docker://quay.io/containerdisks/fedora:42', 'quay.io', 'containerdisks/fedora', '42'],
    ['docker://quay.io/containerdisks/fedora', 'quay.io', 'containerdisks/fedora', 'latest'],
    [`docker://quay.io/containerdisks/fedora@${DIGEST}`, 'quay.io', 'containerdisks/fedora', DIGEST],
    ['docker://registry.local:5000/disk', 'registry.local:5000', 'disk', 'latest'],
    ['docker://registry:5000/a/b/c:v1', 'registry:5000', 'a/b/c', 'v1'],
    ['docker://localhost/disk', 'localhost', 'disk', 'latest'],
    ['docker://[::1]:5000/disk', '[::1]:5000', 'disk', 'latest'],
    ['docker://fedora', 'registry-1.docker.io', 'library/fedora', 'latest'],
    ['docker://kubevirt/fedora:1', 'registry-1.docker.io', 'kubevirt/fedora', '1'],
    ['docker://docker.io/fedora', 'registry-1.docker.io', 'library/fedora', 'latest'],
    ['docker://docker.io/a/b', 'registry-1.docker.io', 'a/b', 'latest'],
    ['docker://a.b/c__d-e.f/g--h:T_a.g-1', 'a.b', 'c__d-e.f/g--h', 'T_a.g-1'],
    ['  docker://quay.io/a/b  ', 'quay.io', 'a/b', 'latest'],
  ];
  for (const [url, host, name, version] of rows) t.same(parseReference(url), { host, name, version }, url);
  t.end();
});

t.test('and those that they refuse', (t) => {
  const urls = [
    '',
    'docker:',
    'docker:quay.io/a/b',
    'docker://',
    'docker://quay.io/',
    'docker://quay.io/A/b',
    'docker://quay.io/a//b',
    'docker://quay.io/../b',
    'docker://quay.io/a/b:',
    'docker://quay.io/a/b:-x',
    `docker://quay.io/a/b:${'x'.repeat(129)}`,
    'docker://quay.io/a/b@',
    'docker://quay.io/a/b@sha256:00',
    `docker://quay.io/a/b@${DIGEST.toUpperCase()}`,
    `docker://quay.io/a/b:1@${DIGEST}`,
    'docker://user:pass@quay.io/a/b',
    'docker://quay.io/a/b?x=y',
    'docker://quay.io/a/b#x',
    'docker://quay.io:port/a/b',
    'docker://quay.io/a b',
    'docker://quay.io/a%2fb',
    `docker://quay.io/${'a/'.repeat(200)}b`,
    `docker://quay.io/${'a-'.repeat(5000)}`,
    'https://quay.io/a/b',
  ];
  for (const url of urls) t.throws(() => parseReference(url), { code: 'bad-url' }, url.slice(0, 60));
  t.throws(() => parseReference('oci-archive:///a.tar'), { code: 'unsupported' });
  t.end();
});

t.test('digests', (t) => {
  const rows: [string, boolean][] = [
    [DIGEST, true],
    [`sha512:${'0a'.repeat(64)}`, true],
    [`sha256:${'0a'.repeat(64)}`, false],
    [`md5:${'0a'.repeat(16)}`, false],
    [`${DIGEST}/../x`, false],
    ['latest', false],
  ];
  for (const [text, wanted] of rows) t.equal(isDigest(text), wanted, text);
  t.end();
});
