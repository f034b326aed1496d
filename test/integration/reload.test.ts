import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import t from 'tap';
import { writeCertificates } from '../../src/cli/certs.ts';
import { issueServing } from '../../src/tls/authority.ts';
import { multus, patchOf, reviewOf, startWebhook, until, type Webhook } from './harness.ts';

// Keys take a while to make on a busy machine.
t.setTimeout(120_000);

const OFF = { probe: { addresses: { mode: 'off' } } };
const REVIEW = JSON.stringify(reviewOf({ uid: 'u', operation: 'CREATE', object: { kind: 'Thing' } }));

function serialOf({ server, certificates }: Webhook): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port: server.port,
      ca: certificates.authority.certificatePem,
    });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve((socket.getPeerCertificate() as PeerCertificate).serialNumber);
      socket.destroy();
    });
  });
}

t.test('a new certificate is taken up without a restart', async (t) => {
  const webhook = await startWebhook(t, OFF);
  const { authority } = webhook.certificates;
  const first = await serialOf(webhook);
  const expiryOf = async () =>
    /plimsoll_certificate_expiry_timestamp_seconds\{certificate="serving"\} (\S+)/.exec(
      (await webhook.health('/metrics')).text,
    )?.[1];
  const expiry = await expiryOf();

  const serving = await issueServing(authority, { names: ['127.0.0.1'], validForDays: 10, now: new Date() });
  await writeCertificates(webhook.folder, { authority, serving });
  const second = await until(
    () => serialOf(webhook),
    (serial) => serial !== first,
  );
  t.not(second, first);
  t.not(await expiryOf(), expiry, 'and its end is told');
  t.equal((await webhook.send('/validate', REVIEW)).status, 200);
});

t.test('a new certificate that is none is told, and the old one stays', async (t) => {
  const webhook = await startWebhook(t, OFF);
  const first = await serialOf(webhook);
  await writeFile(join(webhook.folder, 'tls.crt'), 'no certificate');
  const { status, text } = await until(
    () => webhook.health('/readyz'),
    (answer) => answer.text !== 'ready\n',
  );
  t.equal(status, 200, 'it goes on');
  t.match(text, /^ready\nnew certificate not taken up: unreadable: /);
  t.equal(await serialOf(webhook), first);
});

t.test('a changed configuration is taken up without a restart, a broken one is not', async (t) => {
  const webhook = await startWebhook(t, OFF);
  const limitAt = async () =>
    patchOf(await webhook.review('/mutate', { object: multus('50Mi') })).at(0)?.value;
  const isValid = async () =>
    /^plimsoll_configuration_valid (\d)$/m.exec((await webhook.health('/metrics')).text)?.[1];
  t.equal(await limitAt(), '500Mi');

  await webhook.configure({ ...OFF, memoryFloor: { density: { statistic: 'fixed', pods: 250 } } });
  t.equal(await until(limitAt, (limit) => limit !== '500Mi'), '1300Mi');

  await webhook.writeConfiguration('kind: Nonsense\n');
  t.equal(await until(isValid, (valid) => valid === '0'), '0');
  t.equal(await limitAt(), '1300Mi', 'the last good one stays in force');
  const { status, text } = await webhook.health('/readyz');
  t.equal(status, 200, 'or a broken file would end every replica at once');
  t.match(text, /^ready\nconfiguration not taken up: .*kind: must be Configuration/);
  t.match(webhook.log(), 'configuration is broken; the last good one stays in force');

  await webhook.configure(OFF);
  t.equal(await until(isValid, (valid) => valid === '1'), '1');
  t.equal(await limitAt(), '500Mi');
  t.equal((await webhook.health('/readyz')).text, 'ready\n');
});
