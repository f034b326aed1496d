import t from 'tap';
import { hasCommand, imageOf, nameOf, runs } from '../../../src/floor/container.ts';

const images: Readonly<Record<string, readonly [repository: string, name: string, tag: string]>> = {
  'multus-cni': ['multus-cni', 'multus-cni', ''],
  'multus-cni:v4': ['multus-cni', 'multus-cni', 'v4'],
  'ghcr.io/x/multus-cni:v4-thick': ['ghcr.io/x/multus-cni', 'multus-cni', 'v4-thick'],
  'registry:5000/x/multus-cni': ['registry:5000/x/multus-cni', 'multus-cni', ''],
  'registry:5000/multus-cni:v4@sha256:00ff': ['registry:5000/multus-cni', 'multus-cni', 'v4'],
  'multus-cni@sha256:00ff': ['multus-cni', 'multus-cni', ''],
  '@': ['', '', ''],
  ':': ['', '', ''],
};

for (const [image, [repository, name, tag]] of Object.entries(images)) {
  t.test(`the image ${image}`, async (t) => {
    t.same(imageOf({ image }), { repository, name, tag });
  });
}

t.test('no image', async (t) => {
  t.same(imageOf({}), { repository: '', name: '', tag: '' });
  t.same(imageOf(null), { repository: '', name: '', tag: '' });
});

const programs: Readonly<Record<string, readonly [command: unknown, runs: boolean]>> = {
  'by itself': [['agent'], true],
  'by a path': [['/bin/agent'], true],
  'with options in one text': [['sh', '-c', '/bin/agent --verbose'], true],
  'in quotes': [['sh', '-c', 'exec "/bin/agent"'], true],
  'before a semicolon': [['sh', '-c', 'agent;true'], true],
  'with a suffix': [['agent-config'], false],
  'with an extension': [['agent.sh'], false],
  'with a prefix': [['my-agent'], false],
  'as a folder': [['/etc/agent/run'], false],
  'among others': [['/etc/agent/run', 'agent'], true],
  'not at all': [['run'], false],
  'in no list': ['agent', false],
  'in no text': [[{ agent: 'agent' }], false],
};

for (const [name, [command, expected]] of Object.entries(programs)) {
  t.test(`a program named ${name}`, async (t) => {
    t.equal(runs({ command }, 'agent'), expected, 'in the command');
    t.equal(runs({ args: command }, 'agent'), expected, 'in the arguments');
  });
}

t.test('a command', async (t) => {
  t.equal(hasCommand({ command: ['x'] }), true);
  t.equal(hasCommand({ command: [] }), false);
  t.equal(hasCommand({ args: ['x'] }), false);
});

t.test('a name that cannot be of a container is not shown', async (t) => {
  t.equal(nameOf({ name: 'kube-multus' }, 3), 'kube-multus');
  t.equal(nameOf({ name: 'a'.repeat(63) }, 3), 'a'.repeat(63));
  for (const name of ['a'.repeat(64), 'A', 'a]', 'a\n', '-a', 'a-', '', 7, undefined])
    t.equal(nameOf({ name }, 3), '3');
});
