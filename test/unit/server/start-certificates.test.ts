import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import t from 'tap';
import { makeCertificates, writeCertificates } from '../../../src/cli/certs.ts';
import { parseConfiguration } from '../../../src/config/parse.ts';
import { settingsOf } from '../../../src/config/settings.ts';
import type { KubeApi } from '../../../src/kube/api.ts';
import { startCertificates } from '../../../src/server/start-certificates.ts';
import { MemoryCluster, MUTATING, VALIDATING } from './memory-cluster.ts';

const logger = pino({ level: 'silent' });
const settingsWith = (tls: object) =>
  settingsOf(
    parseConfiguration(
      JSON.stringify({
        apiVersion: 'plimsoll.dev/v1alpha1',
        kind: 'Configuration',
        cluster: { enabled: true },
        tls,
      }),
    ),
  );
const start = (tls: object, api: KubeApi | null = new MemoryCluster().api(), isLeader = true) =>
  startCertificates(
    settingsWith(tls),
    api,
    () => isLeader,
    logger,
    () => {},
  );

async function scratch(t: { teardown(end: () => unknown): void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-certificates-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
}

t.test('files', async (t) => {
  const folder = await scratch(t);
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  await t.rejects(start(files, null), { code: 'unreadable' });
  await writeCertificates(folder, await makeCertificates(['localhost'], 30));
  const certificates = await start(files, null);
  t.teardown(() => certificates.stop());
  await certificates.first;
  t.match(certificates.context(), { cert: /CERTIFICATE/, key: /PRIVATE/ });
  const { missing, notes, ends } = certificates.state();
  t.same([missing, notes], [[], []]);
  t.ok(ends.serving! > new Date());
});

t.test('files are held against what is live in the cluster', async (t) => {
  const folder = await scratch(t);

  await writeCertificates(folder, await makeCertificates(['localhost'], 30));
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key'), pollSeconds: 0.01 };
  const cluster = new MemoryCluster();
  const certificates = await start(files, cluster.api());
  t.teardown(() => certificates.stop());
  const missing = () => certificates.state().missing;
  while (missing().length !== 3) await setTimeout(5);
  t.match(missing()[2], /^certificate: MutatingWebhookConfiguration plimsoll: the caBundle of floors/);
  for (const path of [VALIDATING, MUTATING])
    cluster.revert(path, await readFile(join(folder, 'ca.crt'), 'utf8'));
  while (missing().length !== 0) await setTimeout(5);
  t.same(certificates.state().notes, []);
  t.same(cluster.writes, [], 'publishing is for others to do');
});

t.test('self-managed', async (t) => {
  const certificates = await start({ mode: 'selfManaged', pollSeconds: 0.1 });
  await certificates.first;
  t.match(certificates.context(), { cert: /CERTIFICATE/, key: /PRIVATE/ });
  await certificates.stop();
  const waiting = await start({ mode: 'selfManaged', pollSeconds: 0.1 }, undefined, false);
  t.equal(await Promise.race([waiting.first.then(() => 'first'), setTimeout(300, 'waits')]), 'waits');
  t.equal(waiting.state().missing.length, 1);
  await waiting.stop();
  const options = [settingsWith({ mode: 'selfManaged' }), null, () => true, logger, () => {}] as const;
  await t.rejects(startCertificates(...options), /needs cluster.enabled/);
});

t.test('the authority of clients is read from its file', async (t) => {
  const folder = await scratch(t);
  const clientCAFile = join(folder, 'ca.crt');
  const tls = { mode: 'selfManaged', pollSeconds: 0.1, clientCAFile };
  await t.rejects(start(tls), /clientCAFile: .* cannot be read \(ENOENT\)/);
  await writeFile(clientCAFile, 'A');
  const certificates = await start(tls);
  await certificates.first;
  t.equal(certificates.context().ca, 'A');
  await rm(clientCAFile);
  await setTimeout(300);
  t.equal(certificates.context().ca, 'A', 'the last one stays in force');
  await certificates.stop();
});
