import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import t from 'tap';
import { issueAuthority, issueClient } from '../../src/tls/authority.ts';
import { reviewOf, scratch, startWebhook } from './harness.ts';

// Keys take a while to make on a busy machine.
t.setTimeout(120_000);

const OFF = { probe: { addresses: { mode: 'off' } } };
const REVIEW = JSON.stringify(reviewOf({ uid: 'u', operation: 'CREATE', object: { kind: 'Thing' } }));

t.test('only callers with a certificate of the named client get in', async (t) => {
  const callers = await issueAuthority({ commonName: 'callers', validForDays: 1, now: new Date() });
  const clientAgent = async (name: string, ca: string) => {
    const { certificatePem, privateKeyPem } = await issueClient(callers, {
      commonName: name,
      organizations: [],
      validForDays: 1,
      now: new Date(),
    });
    return new Agent({ ca, cert: certificatePem, key: privateKeyPem });
  };
  const folder = await scratch(t);
  const clientCAFile = join(folder, 'callers.crt');
  await writeFile(clientCAFile, callers.certificatePem);
  const webhook = await startWebhook(t, { ...OFF, tls: { clientCAFile, clientNames: ['kube-apiserver'] } });
  const ca = webhook.certificates.authority.certificatePem;
  const status = async (agent: Agent) => {
    const answer = await webhook.send('/validate', REVIEW, { agent });
    agent.destroy();
    return answer.status;
  };
  t.equal(await status(await clientAgent('kube-apiserver', ca)), 200);
  t.equal(await status(await clientAgent('somebody', ca)), 403);
});
