import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import t from 'tap';
import { startServer } from '../../src/server.ts';
import {
  configurationOf,
  dataVolume,
  multus,
  reviewOf,
  samples,
  scratch,
  startWebhook,
  type Webhook,
} from './harness.ts';

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

t.test('health and metrics are on a port of their own', async (t) => {
  const webhook = await startWebhook(t, OFF);
  t.match(await webhook.health('/healthz'), { status: 200, text: 'ok\n' });
  t.match(await webhook.health('/readyz'), { status: 200, text: 'ready\n' });
  const { status, headers, text } = await webhook.health('/metrics');
  t.equal(status, 200);
  t.match(headers['content-type'], /^text\/plain/);
  for (const name of [
    'plimsoll_configuration_valid 1',
    'plimsoll_certificate_expiry_timestamp_seconds{certificate="serving"} ',
    'process_cpu_seconds_total',
  ])
    t.ok(text.includes(name), name);
  for (const path of ['/', '/validate', '/mutate', '/healthz/x'])
    t.equal((await webhook.health(path)).status, 404, path);
});

t.test('reviews and findings are counted, without any object’s name', async (t) => {
  const origin = await samples(t);
  const webhook = await startWebhook(t, {
    probe: { addresses: { mode: 'allowlist', allow: [new URL(origin).host] } },
    exemptions: [{ names: ['exempt'], reason: 'agreed' }],
  });
  const url = `${origin}/fedora.qcow2`;
  await webhook.review('/validate', { object: dataVolume(url, '30Gi') });
  await webhook.review('/validate', { object: dataVolume(url, '30Gi', { name: 'exempt' }) });
  await webhook.review('/mutate', { object: multus('50Mi') });
  const { text } = await webhook.health('/metrics');
  for (const line of [
    'plimsoll_admission_reviews_total{webhook="validate",verdict="denied"} 1',
    'plimsoll_admission_reviews_total{webhook="validate",verdict="allowed"} 1',
    'plimsoll_admission_reviews_total{webhook="mutate",verdict="mutated"} 1',
    'plimsoll_findings_total{policy="volume-size",rule="oversized",action="deny"} 1',
    'plimsoll_findings_total{policy="volume-size",rule="oversized",action="exempt"} 1',
    'plimsoll_findings_total{policy="memory-floor",rule="multus",action="warn"} 1',
    'plimsoll_image_looks_total{outcome="ok"} 1',
    'plimsoll_density_pods{origin="fixed"} 90',
    'plimsoll_admission_review_duration_seconds_count{webhook="validate"} 2',
  ])
    t.ok(text.includes(`${line}\n`), line);
  t.notMatch(text, /fedora|kube-multus-ds/);
});

t.test('on its way out it is unready, and closes connections after their answer', async (t) => {
  const webhook = await startWebhook(t, OFF);
  const agent = new Agent({ ca: webhook.certificates.authority.certificatePem, keepAlive: true });
  t.teardown(() => agent.destroy());
  const before = await webhook.send('/validate', REVIEW, { agent });
  t.equal(before.headers.connection, 'keep-alive');

  const stopped = webhook.server.stop(500);
  t.match(await webhook.health('/readyz'), { status: 503, text: 'stopping\n' });
  t.equal((await webhook.health('/healthz')).status, 200, 'but alive');
  const during = await webhook.send('/validate', REVIEW, { agent });
  t.equal(during.status, 200, 'and it still answers');
  t.equal(during.headers.connection, 'close');
  await stopped;
  await t.rejects(webhook.health('/healthz'), { code: 'ECONNREFUSED' });
  await t.rejects(serialOf(webhook), { code: 'ECONNREFUSED' });
});

const ROWS: readonly { name: string; action: 'warn' | 'deny'; allowed: boolean }[] = [
  { name: 'passes', action: 'warn', allowed: true },
  { name: 'is denied where that is asked for', action: 'deny', allowed: false },
];

for (const { name, action, allowed } of ROWS)
  t.test(`an image that may not be looked at ${name}`, async (t) => {
    const webhook = await startWebhook(t, { ...OFF, volumeSize: { actions: { 'unknown-image': action } } });
    const response = await webhook.review('/validate', { object: dataVolume('http://a.example/', '1Gi') });
    t.equal(response.allowed, allowed);
    t.match(response.status?.message ?? response.warnings?.[0], /looking at images is switched off/);
  });

t.test('what cannot be served does not start', async (t) => {
  const folder = await scratch(t);
  const configFile = join(folder, 'plimsoll.yaml');
  const start = () => startServer({ configFile, version: '0', log: process.stderr });
  await t.rejects(start(), { code: 'bad-configuration' });
  await writeFile(configFile, JSON.stringify(configurationOf(folder, { log: { level: 'silent' } })));
  await t.rejects(start(), { name: 'ServingError', code: 'unreadable' });
});
